import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Writes the synchronous client of the Python package: the asynchronous one without the words that make it so. */
const folder = join(import.meta.dirname, '../../../python/src/haul_client')

const replacements = [
  [/\bAsyncGenerator\[(.*), None\]/g, 'Generator[$1, None, None]'],
  [/\bAsync([A-Z])/g, '$1'],
  [/\bAwaitable\[(\w+)\]/g, '$1'],
  [/\basync (def|with|for)\b/g, '$1'],
  [/\bawait /g, ''],
  [/\basynccontextmanager\b/g, 'contextmanager'],
  [/\b(?:__)?a(enter__|exit__|close\b|closing\b|read\(|iter_bytes\b)/g, (name) => name.replace(/^(__)?a/, '$1')],
  [/\._asyncio\b/g, '._threads'],
]

const synchronous = (source) =>
  replacements.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), source)

await rm(join(folder, '_sync'), { recursive: true, force: true })
await mkdir(join(folder, '_sync'))
for (const name of (await readdir(join(folder, '_async'))).filter((each) => each.endsWith('.py'))) {
  const source = await readFile(join(folder, '_async', name), 'utf8')
  const text = `# Generated from _async/${name}, and not committed.\n${synchronous(source)}`
  await writeFile(join(folder, '_sync', name), text)
}
