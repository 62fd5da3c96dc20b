"""Makes a wheel of an installed package under another version. Arguments: its folder and a file with the changes as JSON.

See Changes in local-index.ts.
"""

import hashlib
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

with zipfile.ZipFile(path, 'w', zipfile.ZIP_STORED) as wheel:
    for file in [] if changes.get('isSmall') else sorted(source.rglob('*')):
        if file.is_file() and '__pycache__' not in file.parts:
            name = str(file.relative_to(source.parent))
            wheel.writestr(name, file.read_bytes() + changes.get('appended', {}).get(name, '').encode())
    for name, content in changes.get('files', {}).items():
        wheel.writestr(name, content)
    metadata = ['Metadata-Version: 2.4', f'Name: {package}', f'Version: {version}']
    metadata += [f'Requires-Dist: {each}' for each in requires]
    wheel.writestr(f'{package}-{version}.dist-info/METADATA', '\n'.join(metadata) + '\n')

print(json.dumps({'filename': path.name, 'sha256': hashlib.sha256(path.read_bytes()).hexdigest()}))
