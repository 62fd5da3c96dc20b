import { createHash } from 'node:crypto'
import { chmod, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { run } from './setup/command.mjs'
import { isDone, replaceFolder } from './setup/install.mjs'

/**
 * Puts FFmpeg 8.1 into `<toolsDir>/ffmpeg`, for Linux on x86-64. It starts in 6 ms of CPU time, where Debian's takes 60 to
 * load its 215 libraries (docs/decisions/0017-ffmpeg-from-maven-central.md). Elsewhere the system's ffmpeg is used.
 */

/** Bytedeco's build, without FFmpeg's GPL parts. Files on Maven Central never change. */
const version = '8.1.2-1.5.14'
const url = `https://repo1.maven.org/maven2/org/bytedeco/ffmpeg/${version}/ffmpeg-${version}-linux-x86_64.jar`
const sha256 = '6d0f000c4ddede3b669aa7c5c585e9b71f69b7f621fed7ab28ec01045dc336d0'
const folderInJar = 'org/bytedeco/ffmpeg/linux-x86_64'
const TIMEOUT_MS = 10 * 60_000

const isSupported = process.platform === 'linux' && process.arch === 'x64'

/**
 * Does nothing on other systems. Rejects if the file cannot be downloaded or does not run here.
 *
 * @param {{ python: string, toolsDir: string, log?: (line: string) => void }} options
 */
export const installFfmpeg = async ({ python, toolsDir, log = console.log }) => {
  const target = join(toolsDir, 'ffmpeg')
  if (!isSupported || (await isDone(join(target, 'sha256'), sha256))) return
  log(`Installing FFmpeg ${version}`)
  await replaceFolder(target, async (staging) => {
    const programs = await unpack(await download(), python, staging)
    await writeFile(join(programs, 'sha256'), sha256)
    return programs
  })
}

const download = async () => {
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })
  if (!response.ok) throw new Error(`${url} responded with status ${response.status}`)
  const bytes = Buffer.from(await response.arrayBuffer())
  const found = createHash('sha256').update(bytes).digest('hex')
  if (found !== sha256) throw new Error(`${url} is damaged: its SHA-256 is ${found} instead of ${sha256}`)
  return bytes
}

/** Unpacks only the programs and their libraries. The rest of the jar connects them to Java. */
const unpack = async (bytes, python, staging) => {
  const jar = join(staging, 'ffmpeg.jar')
  await writeFile(jar, bytes)
  await run(python, ['-I', '-m', 'zipfile', '-e', jar, staging])
  const programs = join(staging, folderInJar)
  await run('find', [programs, '-name', 'libjni*', '-delete'])
  for (const name of ['ffmpeg', 'ffprobe']) {
    await chmod(join(programs, name), 0o755)
    await run(join(programs, name), ['-version'])
  }
  return programs
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const toolsDir = join(dirname(fileURLToPath(import.meta.url)), '../.tools')
  await installFfmpeg({ python: join(toolsDir, 'venv/bin/python'), toolsDir })
}
