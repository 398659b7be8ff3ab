"""What can go wrong with the storage itself; the message of each is one line for people.

StoreError
 +-- StoreUnavailable     it does not answer just now, or is full; it may come back by itself
 +-- UnusableDatabase     it is of no use as it is; starting again will not help
      +-- UnreadableDatabase   not there, not allowed, not ours, or damaged
      +-- NewerDatabase        made by a later version of this program
      +-- OlderDatabase        not brought up to date yet
      +-- DatabaseInUse        another server has this file
"""


class StoreError(Exception):
    """The storage failed; see the module's docstring for the tree."""


class StoreUnavailable(StoreError):
    """Nothing was read, and nothing is known to be written. Service comes again with the storage."""


class UnusableDatabase(StoreError):
    """A database that a server cannot start on; the message names it."""


class UnreadableDatabase(UnusableDatabase):
    pass


class NewerDatabase(UnusableDatabase):
    pass


class OlderDatabase(UnusableDatabase):
    pass


class DatabaseInUse(UnusableDatabase):
    pass
