"""A made-up app of LeanCloud, and its export in all forms that owners have.

The form follows protocol/files 10 and protocol/data 10. Where the notes do not know the form, this package chooses one:

- Relations are files of their own, `_Join:<field>:<Class>.jsonl`, with a line `{"owningId","relatedId"}` for each
  pair, as LeanCloud's import takes them. Rows of the class show the field as `{"__type":"Relation","className":…}`.
- `<Class>_schema.json` is what `GET /1.1/schemas/<Class>` answers.
- Files in objects are `{"__type":"File","id"}` in some rows, the whole record or a pointer to `_File` in others.
- Rows of `_User` have `sessionToken`.

`python -m exports --help` (with this folder's parent as PYTHONPATH) writes an export by hand.
"""

from .app import ANOTHER, CLASSES, OLD, Join, OldApp
from .broken import (
    add_byte_order_mark, add_fields, break_line, insert_line, lines_of, object_of, recode_line, repeat_object,
    truncate_last_line,
)
from .comparing import comparable, difference
from .files import LARGE, SIZES
from .writing import (
    file_names, join_name, rows_of, write_archive, write_class, write_folder, write_joins, write_objects, write_schema,
)
