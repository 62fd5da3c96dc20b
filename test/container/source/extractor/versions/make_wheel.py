"""Makes a wheel of an installed package under another version. Arguments: its folder and a file with the changes as JSON.

See Changes in local-index.ts. Of the 900 modules of yt-dlp's extractors, the wheel has those for any page and for
YouTube: with all of them, a test takes twice as long. One test takes a wheel of the public index.
"""

import hashlib
import importlib
import importlib.util
import json
import pathlib
import sys
import zipfile

folder, changes = sys.argv[1:]
changes = json.loads(pathlib.Path(changes).read_text())
package, version = changes['package'], changes['version']
source = pathlib.Path(importlib.util.find_spec(package).origin).parent
path = pathlib.Path(folder, f'{package}-{version}-py3-none-any.whl')
requires = changes.get('requires', ['yt-dlp-ejs==0.8.0; extra == "default"'])

EXTRACTORS = source / 'extractor'
FEW_EXTRACTORS = """
from .generic import GenericIE
from .genericembeds import HTML5MediaEmbedIE, QuotedHTMLIE
from .youtube import YoutubeIE
"""


def needed():
    """The modules of extractors that those of FEW_EXTRACTORS import."""
    for name in ['YoutubeDL', 'extractor.generic', 'extractor.genericembeds', 'extractor.youtube']:
        importlib.import_module(f'yt_dlp.{name}')
    names = {name.split('.')[2] for name in sys.modules if name.startswith('yt_dlp.extractor.')}
    return {'__init__', 'extractors', '_extractors'} | names


def content_of(file, name):
    content = FEW_EXTRACTORS.encode() if name == 'yt_dlp/extractor/_extractors.py' else file.read_bytes()
    return content + changes.get('appended', {}).get(name, '').encode()


def files():
    kept = needed() if package == 'yt_dlp' else set()
    for file in sorted(source.rglob('*')):
        is_left_out = EXTRACTORS in file.parents and pathlib.Path(file.relative_to(EXTRACTORS).parts[0]).stem not in kept
        if file.is_file() and '__pycache__' not in file.parts and not is_left_out:
            yield file


with zipfile.ZipFile(path, 'w', zipfile.ZIP_STORED) as wheel:
    for file in [] if changes.get('isSmall') else files():
        name = str(file.relative_to(source.parent))
        wheel.writestr(name, content_of(file, name))
    for name, content in changes.get('files', {}).items():
        wheel.writestr(name, content)
    metadata = ['Metadata-Version: 2.4', f'Name: {package}', f'Version: {version}']
    metadata += [f'Requires-Dist: {each}' for each in requires]
    wheel.writestr(f'{package}-{version}.dist-info/METADATA', '\n'.join(metadata) + '\n')

print(json.dumps({'filename': path.name, 'sha256': hashlib.sha256(path.read_bytes()).hexdigest()}))
