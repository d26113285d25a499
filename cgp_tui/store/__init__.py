"""How are our small files kept safely? Private recordings, locks, and the chained log that consent is written in.

Laws:
- A file of ours is used only when it is a regular file of ours alone, with one name, that nobody else may write to, in a
  folder that nobody else may write to. Anything else is refused with the command that mends it; nothing is mended silently.
- Acknowledged means: on the disk, and covered by the head. What is acknowledged is never changed or removed here, and a
  ledger that is gone as a whole is missed, by the head that its id leads to.
- A failed sync is final: the record is taken back or everything is stopped, never tried again until it seems to work.
- Whom the person trusts stands under a hash of all of it: a store that is cut, changed, unsafe or newer trusts nobody.
- The person's files are read beneath a folder they opened and nowhere else: no link is followed, only regular files are
  opened, nothing is waited for, and what one run reads is bounded.
- A project's providers file is data until the person trusted its very bytes; an edit of ours leaves every other byte.
- What is merely remembered between runs, and what is settled for the screens, permits nothing: it may be lost, and what
  cannot be read or used is named and left out.
- Lock files are never removed. Nothing here waits in the kernel.

Called by consent, host, analysis (the files that are cited), cli and ui, and by report and present, which show what was
read. It calls `protocol`, `target`, `errors` and `wire`'s notes.
"""
