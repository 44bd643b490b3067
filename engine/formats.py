"""A file's bytes become a frame of cells under their names, whatever kind of file it is.

In: bytes or a path, and what is stated about a text file or a workbook.
Out: the frame (text cells, or typed ones from Excel and Parquet) and what was understood; oddities in words.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from engine.arff import read_arff
from engine.errors import PenumbraError
from engine.names import listed

MAX_BYTES = 50 * 2**20
MAX_UNPACKED = 10 * MAX_BYTES
MISSING_TOKENS = ("", "NA", "N/A", "n/a", "na", "NaN", "nan", "null", "NULL", "Null", "#N/A", "?", ".", "-")
SETS = (set, frozenset, tuple, list, np.ndarray)  # Parquet gives its lists as arrays

_DELIMITERS = ("\t", ";", "|", ",")


def read_file(
    source: bytes | str | Path,
    filename: str | None,
    delimiter: str | None,
    encoding: str | None,
    sheet: str | int | None,
    problems: list[str],
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Read a file by what it is, not by what it is called.

    Parameters
    ----------
    source : bytes or path
        Separated text (also gzipped), Excel (.xlsx), Parquet or ARFF, up to 50 MB.
    filename, delimiter, encoding, sheet
        As in `engine.read.read_table`; None is detected.
    problems : list of str
        Sentences are added to it in place.

    Returns
    -------
    frame : DataFrame
        One column per column of the file, names not repeated.
    understood : dict
        format, header and, where it applies, delimiter, encoding, sheet.

    Raises
    ------
    PenumbraError
        When the bytes cannot be read as a table.
    """
    content, name = _content(source, filename)
    frame, understood = _frame(content, name, delimiter, encoding, sheet, problems)
    frame.columns = pd.Index(unique_names([str(column) for column in frame.columns], problems))
    return frame, understood


def kind_of(content: bytes, filename: str) -> dict[str, Any]:
    """Return what a file that was refused is: its format, and the sheets of a workbook, so that it can be corrected."""
    try:
        content, name = _content(content, filename)
        if content[:4] == b"PK\x03\x04":
            return {"format": "Excel", "sheets": tuple(str(sheet) for sheet in _book(content).sheet_names)}
    except PenumbraError:
        return {"format": "text"}
    if content[:4] == b"PAR1":
        return {"format": "Parquet"}
    return {"format": "ARFF" if name.endswith(".arff") else "text"}


def _content(source: bytes | str | Path, filename: str | None) -> tuple[bytes, str]:
    """Return the bytes of a source and the name it goes by, unpacked when gzipped; refuse more than 50 MB."""
    if isinstance(source, (bytearray, memoryview)):
        source = bytes(source)
    if not isinstance(source, (bytes, str, Path)):
        raise PenumbraError(
            f"The table was given as a {type(source).__name__}; give the bytes of a file, a path or a DataFrame."
        )
    too_big = PenumbraError("The file is larger than 50 MB; leave out columns or rows that are not needed.")
    if isinstance(source, bytes):
        content = source
    else:
        try:
            if Path(source).stat().st_size > MAX_BYTES:
                raise too_big
            content = Path(source).read_bytes()
        except (OSError, ValueError):  # the latter for a path with a zero byte
            raise PenumbraError(f"The file “{Path(source).name}” cannot be opened; check that it exists.") from None
        filename = filename or Path(source).name
    if len(content) > MAX_BYTES:
        raise too_big
    name = (filename or "").lower()
    if content[:2] == b"\x1f\x8b":
        try:
            content = gzip.GzipFile(fileobj=io.BytesIO(content)).read(MAX_BYTES + 1)
        except (OSError, EOFError, zlib.error):
            raise PenumbraError(
                "The gzipped file is damaged and cannot be unpacked; pack or upload it again."
            ) from None
        if len(content) > MAX_BYTES:
            raise too_big
        name = name.removesuffix(".gz")
    if not content.strip():
        raise PenumbraError("The file is empty; choose one with column names and at least one row.")
    return content, name


def _frame(
    content: bytes,
    name: str,
    delimiter: str | None,
    encoding: str | None,
    sheet: str | int | None,
    problems: list[str],
) -> tuple[pd.DataFrame, dict[str, Any]]:
    if content[:4] == b"PAR1":
        return _parquet(content), {"format": "Parquet", "header": True}
    if content[:4] == b"PK\x03\x04":
        return _excel(content, sheet, problems)
    if content[:4] == b"\xd0\xcf\x11\xe0":
        raise PenumbraError("This is a workbook of the old .xls kind; save it as .xlsx or CSV and read that.")
    if name.endswith((".xlsx", ".xls", ".parquet", ".pq")):
        raise PenumbraError("The file is not what its name says, or it is damaged; save it again, or as CSV.")
    text, encoding = _decode(content, encoding)
    if name.endswith(".arff") or re.match(r"(?:[ \t]*%[^\n]*\n|\s)*@relation\b", text[:20000], re.I):
        return read_arff(text), {"format": "ARFF", "encoding": encoding, "header": True}
    hint = re.match(r'"?sep=(.)"?\r?\n', text)
    if hint:
        delimiter, text = delimiter or hint[1], text[hint.end() :]
    delimiter = delimiter or _delimiter(text)
    blocks = list(_records(text, delimiter, 2 if hint else 1, problems))
    if not blocks:
        raise PenumbraError("The file holds no rows; choose one with column names and at least one patient.")
    raw = pd.concat(blocks, ignore_index=True)
    header = _has_header(raw)
    return _named(raw, header, problems), {
        "format": "text",
        "delimiter": delimiter,
        "encoding": encoding,
        "header": header,
    }


def _decode(content: bytes, encoding: str | None) -> tuple[str, str]:
    marks = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
    marked = [name for mark, name in marks if content.startswith(mark)]
    for name in [encoding] if encoding else [*marked, "utf-8", "cp1252"]:
        try:
            text = content.decode(name)
        except LookupError:
            raise PenumbraError(f"The encoding “{name}” is not known; try utf-8, cp1252 or utf-16.") from None
        except ValueError as error:
            if not isinstance(error, UnicodeError):  # a name with a zero byte
                raise PenumbraError("The encoding has no name that is known; try utf-8, cp1252 or utf-16.") from None
            if encoding:
                raise PenumbraError(
                    f"The file is not written in {name}; leave the encoding open to have it detected."
                ) from None
            continue
        control = sum(text.count(chr(code)) for code in (*range(9), 11, *range(14, 32)))
        if control == 0 or ("\x00" not in text and control < 0.001 * len(text)):
            return text.removeprefix("\ufeff"), name
        break
    raise PenumbraError("The file is not a text table, Excel or Parquet; export it as CSV and read that.")


def _delimiter(text: str) -> str:
    """Return the mark that cuts the first lines into equal numbers of pieces; the comma last."""
    head = text[: 2**16]
    if len(head) < len(text):
        head = head[: head.rfind("\n") + 1] or head
    best, best_share = "", 0.0
    for mark in _DELIMITERS:
        try:
            widths = [len(row) for row in csv.reader(io.StringIO(head, newline=""), delimiter=mark) if row]
        except csv.Error:
            continue
        common = max(set(widths), key=widths.count, default=1)
        share = widths.count(common) / len(widths) if common > 1 else 0.0
        if share > best_share:
            best, best_share = mark, share
    if not best:
        raise PenumbraError(
            "Only one column was found; a table needs variables and labels, separated by , ; | or tabs."
        )
    return best


def _records(text: str, delimiter: str, first_line: int, problems: list[str]) -> Iterator[pd.DataFrame]:
    """Yield the rows in blocks of text; refuse a line that has another number of cells than the first."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=delimiter != " ")
    block: list[list[str]] = []
    width, line, last, empty = 0, first_line, first_line, 0
    try:
        for row in reader:
            if not any(cell.strip() for cell in row):
                empty += 1
            else:
                width = width or len(row)
                if len(row) != width:
                    cells = "1 cell" if len(row) == 1 else f"{len(row)} cells"
                    raise PenumbraError(
                        f"Line {line} has {cells} where the first has {width}; look there for a missing or extra "
                        "delimiter, or a quotation mark that is never closed."
                    )
                block.append(row)
                if len(block) == 20000:
                    yield pd.DataFrame(block, dtype="str")
                    block = []
            last, line = line, reader.line_num + first_line
    except csv.Error:
        raise PenumbraError(f"Line {line} cannot be read; is a quotation mark there never closed?") from None
    if line - last > 1 and _never_closed(islice(io.StringIO(text, newline=""), last - first_line, None), delimiter):
        raise PenumbraError(f"Line {last} opens a quotation mark that is never closed; close it or take it out.")
    if block:
        yield pd.DataFrame(block, dtype="str")
    _say_empty(empty, problems)


def _never_closed(lines: Iterator[str], delimiter: str) -> bool:
    """Tell whether a quotation mark swallows the rest of a file, which the plain reader lets pass."""
    try:
        for _ in csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=True):
            pass
    except csv.Error as error:
        return "end of data" in str(error)
    return False


def _say_empty(rows: int, problems: list[str]) -> None:
    if rows:
        problems.append("One empty line was left out." if rows == 1 else f"{rows} empty lines were left out.")


def _parquet(content: bytes) -> pd.DataFrame:
    try:
        import pyarrow.parquet as parquet  # type: ignore[import-untyped]

        about = parquet.ParquetFile(io.BytesIO(content)).metadata
        size = sum(about.row_group(i).total_byte_size for i in range(about.num_row_groups))
        if size <= MAX_UNPACKED:
            return pd.read_parquet(io.BytesIO(content)).reset_index(drop=True)
    except Exception:  # its readers raise many kinds, whose words may hold cells
        raise PenumbraError("The Parquet file is damaged and cannot be read; write it again, or save as CSV.") from None
    raise PenumbraError("The Parquet file unpacks to more than 500 MB; leave out columns or rows that are not needed.")


def _book(content: bytes) -> pd.ExcelFile:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as parts:
            size = sum(part.file_size for part in parts.infolist())
        book = pd.ExcelFile(io.BytesIO(content), engine="openpyxl") if size <= MAX_UNPACKED else None
    except Exception:  # as above
        raise PenumbraError(
            "The file is not an Excel workbook, or it is damaged; save it again as .xlsx or CSV."
        ) from None
    if book is None:
        raise PenumbraError("The workbook unpacks to more than 500 MB; leave out columns or rows that are not needed.")
    return book


def _excel(content: bytes, sheet: str | int | None, problems: list[str]) -> tuple[pd.DataFrame, dict[str, Any]]:
    book = _book(content)
    sheets = [str(name) for name in book.sheet_names]
    if (isinstance(sheet, int) and not 0 <= sheet < len(sheets)) or (isinstance(sheet, str) and sheet not in sheets):
        raise PenumbraError(f"There is no sheet “{sheet}”; the workbook has {listed(sheets)}.")
    wanted = sheets if sheet is None else [sheets[sheet] if isinstance(sheet, int) else sheet]
    for name in wanted:
        raw = pd.read_excel(book, sheet_name=name, header=None, dtype=object, keep_default_na=False, na_values=[])
        filled = raw.notna() & (raw != "")
        empty = int((~filled.any(axis=1)).sum())
        raw = raw.loc[filled.any(axis=1), filled.any(axis=0)].reset_index(drop=True)
        if raw.shape[1] > 1:
            break
    else:
        raise PenumbraError(f"The sheet “{wanted[0]}” holds no table; it needs at least two columns and one row.")
    if sheet is None and len(sheets) > 1:
        others = [f"“{other}”" for other in sheets if other != name]
        shown = ", ".join(others[:8]) + (f" and {len(others) - 8} more" if len(others) > 8 else "")
        problems.append(f"The workbook has {len(sheets)} sheets; “{name}” was read, not {shown}.")
    _say_empty(empty, problems)
    raw.columns = pd.RangeIndex(raw.shape[1])
    header = _has_header(raw.head(200).map(as_text))
    return _named(raw, header, problems), {"format": "Excel", "sheet": name, "sheets": tuple(sheets), "header": header}


def _has_header(raw: pd.DataFrame) -> bool:
    """Tell whether the first row names the columns: most cells are neither numbers nor met again below."""
    first = [str(cell).strip() for cell in raw.iloc[0]]
    plain = [re.fullmatch(r"[+-]?[0-9]*[.,]?[0-9]+(?:[eE][+-]?[0-9]+)?", cell) is not None for cell in first]
    counted = [cell for cell, number in zip(first, plain, strict=True) if number]
    if len(counted) > 3 and counted in ([str(i) for i in range(k, k + len(counted))] for k in (0, 1)):
        return True
    head = raw.iloc[1:200]
    data = [
        number or cell in MISSING_TOKENS[1:] or bool((head[column].astype(str).str.strip() == cell).any())
        for column, cell, number in zip(raw.columns, first, plain, strict=True)
        if cell
    ]
    return 2 * sum(data) < len(data)


def _named(raw: pd.DataFrame, header: bool, problems: list[str]) -> pd.DataFrame:
    if header:
        names = [str(cell).strip() for cell in raw.iloc[0]]
        raw = raw.iloc[1:].reset_index(drop=True)
        empty = [f"column {i + 1}" for i, name in enumerate(names) if not name]
        if empty:
            problems.append(f"No name stands over {', '.join(f'“{name}”' for name in empty)}, called so by place.")
        names = [name or f"column {i + 1}" for i, name in enumerate(names)]
    else:
        names = [f"column {i + 1}" for i in range(raw.shape[1])]
        problems.append("The first line looks like a patient, not like names, so the columns are called by place.")
    raw.columns = pd.Index(names)
    return raw


def unique_names(names: list[str], problems: list[str]) -> list[str]:
    """Return the names with a number behind each one that repeats, and say so."""
    taken, unique = set(names), []
    for i, name in enumerate(names):
        new, k = name, 2
        while new in unique or (new != name and new in taken):
            new, k = f"{name} ({k})", k + 1
        if new != name:
            problems.append(f"“{name}” names more than one column; the one in place {i + 1} is now “{new}”.")
        unique.append(new)
    return unique


def is_number(cell: object) -> bool:
    """Tell whether a typed cell is a number, which no mark can make another one."""
    return isinstance(cell, (int, float, np.integer, np.floating, Decimal)) and not isinstance(
        cell, (bool, np.timedelta64)
    )


def as_number(cell: object) -> float:
    """Return a typed number as a float, an immense one as infinity; NaN for any other cell."""
    if is_nothing(cell) or not is_number(cell):
        return np.nan
    try:
        return float(cell)  # type: ignore[arg-type]
    except OverflowError:
        return np.inf


def is_nothing(cell: object) -> bool:
    """Tell whether a typed cell is empty."""
    return cell is None or cell is pd.NA or cell is pd.NaT or (isinstance(cell, float) and cell != cell)


def as_text(cell: object) -> str:
    """Write a typed cell as a person would: 1.0 as "1", nothing as ""."""
    if is_nothing(cell):
        return ""
    if isinstance(cell, SETS):
        return " or ".join(sorted(map(as_text, cell)))
    if isinstance(cell, float | np.floating):
        number = float(cell)
        return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)
    return str(cell)
