import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { jsonIn } from '../../../sandbox/lines.ts'
import { run } from '../../../sandbox/process.ts'
import { pythonFiles } from '../../../sandbox/program-files.ts'

const script = join(import.meta.dirname, 'unpack.py')
const TIMEOUT_MS = 120_000
/** Of yt-dlp it takes two seconds. */
const limits = { cpuSeconds: 60, fileSizeBytes: 0, addressSpaceBytes: 1024 ** 3, processes: 16 }
/** yt-dlp has 2,100 files, with the compiled ones, and 31 MB of lines. */
const MAX_LINES_BYTES = 150_000_000
const MAX_FILES = 10_000

const Line = z.union([
  z.object({ name: z.string(), data: z.base64() }),
  z.object({ requires: z.array(z.string().max(1_000)).max(1_000) }),
])

export class CannotUnpack extends Error {}

interface WheelToUnpack {
  /** The Python interpreter that will import it. */
  python: string
  path: string
  /** The only folder of the wheel that is unpacked: a wheel could bring modules of other names, which it could replace. */
  package: string
  folder: string
}

/** Unpacks and compiles the package of a wheel into a folder. Returns what it requires, as its metadata says it. */
export const unpackWheel = async (wheel: WheelToUnpack, signal: AbortSignal): Promise<string[]> => {
  const { python, path } = wheel
  const files = new Map<string, Buffer[]>()
  let requires: string[] | null = null
  let problem: string | null = null
  const onStdoutLine = (text: string) => {
    const line = Line.safeParse(jsonIn(text)).data
    if (!line) problem ??= 'it is read as nonsense'
    else if ('requires' in line) requires = line.requires
    else if (!isFileOf(line.name, wheel.package)) problem ??= `it has a file that is not one of ${wheel.package}`
    else files.set(line.name, [...(files.get(line.name) ?? []), Buffer.from(line.data, 'base64')])
    if (files.size > MAX_FILES) problem ??= `it has more than ${MAX_FILES} files`
  }
  const { code, stderr } = await run(python, ['-I', '-B', script, path, wheel.package], {
    ...{ signal, limits, onStdoutLine, timeoutMs: TIMEOUT_MS, maxStdoutBytes: MAX_LINES_BYTES },
    reads: [...(await pythonFiles(python)), script, path],
  })
  if (code !== 0 || requires === null) problem ??= stderr.trim().split('\n').at(-1) || `exit code ${code}`
  if (files.size === 0) problem ??= `it has no ${wheel.package}`
  if (problem !== null) throw new CannotUnpack(`The wheel cannot be unpacked: ${problem}`)
  for (const [name, parts] of files) {
    const file = join(wheel.folder, name)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, Buffer.concat(parts), { flag: 'wx' })
  }
  return requires ?? []
}

/** No part of the name may lead out of the folder of the package. */
const isFileOf = (name: string, packageName: string): boolean => {
  const [first, ...rest] = name.split('/')
  return first === packageName && rest.length > 0 && rest.every((part) => /^[\w-][\w.-]{0,120}$/.test(part))
}
