import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '../../../sandbox/process.ts'
import { pythonFiles } from '../../../sandbox/program-files.ts'
import { createPackageIndex, IndexFailed, newestOf, type Wheel } from './package-index.ts'

/**
 * A version of yt-dlp: a folder with its wheel and that of the scripts that it needs. Wheels are never unpacked. Python
 * imports from them as they are, in the process that is confined before (warm.py).
 */
export interface Release {
  version: string
  folder: string
}

const CHECK_TIMEOUT_MS = 60_000
const INSTALL_TIMEOUT_MS = 10 * 60_000

interface ReleasesOptions {
  python: string
  /** Emptied when the container starts. */
  folder: string
  indexUrl: URL
}

export const createReleases = ({ python, folder, indexUrl }: ReleasesOptions) => {
  let opened: Promise<ReturnType<typeof createPackageIndex>> | null = null
  const index = () => {
    opened ??= answerOfPython(python, VERSION).then((pythonVersion) =>
      createPackageIndex({ url: indexUrl, pythonVersion }),
    )
    return opened
  }
  return {
    /** null: the index has none for this channel and this Python. */
    newest: async (channel: string, stopped: AbortSignal): Promise<Wheel | null> => {
      const signal = AbortSignal.any([stopped, AbortSignal.timeout(CHECK_TIMEOUT_MS)])
      return newestOf(await (await index()).wheelsOf('yt-dlp', signal), channel)
    },
    /** Throws IndexFailed. */
    install: async (wheel: Wheel, stopped: AbortSignal): Promise<Release> => {
      const signal = AbortSignal.any([stopped, AbortSignal.timeout(INSTALL_TIMEOUT_MS)])
      const { wheelsOf, download } = await index()
      const [staging, release] = [join(folder, 'unfinished'), join(folder, wheel.version)]
      for (const stale of [staging, release]) await rm(stale, { recursive: true, force: true })
      await mkdir(staging, { recursive: true })
      try {
        const path = join(staging, 'yt_dlp.whl')
        await writeFile(path, await download(wheel, signal))
        const scripts = scriptsIn(await answerOfPython(python, REQUIREMENTS, path))
        const found = newestOf(await wheelsOf('yt-dlp-ejs', signal), scripts)
        if (!found) throw new IndexFailed(`The package index has no yt-dlp-ejs ${scripts}.`)
        await writeFile(join(staging, 'yt_dlp_ejs.whl'), await download(found, signal))
        await rename(staging, release)
        return { version: wheel.version, folder: release }
      } finally {
        await rm(staging, { recursive: true, force: true })
      }
    },
    remove: (release: Release): Promise<void> => rm(release.folder, { recursive: true, force: true }),
  }
}

const VERSION = 'import platform; print(platform.python_version())'
const REQUIREMENTS = `
import sys
from importlib.metadata import distributions
print(*next(iter(distributions(name='yt-dlp', path=sys.argv[1:]))).requires or [], sep='\\n')`

/** `yt-dlp-ejs==0.8.0; extra == "default"`: it accepts only the scripts of that version. */
const scriptsIn = (requirements: string): string => {
  const version = /^yt-dlp-ejs==([\w.]+)/m.exec(requirements)?.[1]
  if (version === undefined) throw new IndexFailed('The wheel does not say which version of yt-dlp-ejs it requires.')
  return version
}

/** Runs in a child process, because it reads a wheel. */
const answerOfPython = async (python: string, code: string, ...wheels: string[]): Promise<string> => {
  const { stdout } = await run(python, ['-I', '-c', code, ...wheels], {
    timeoutMs: 10_000,
    reads: [...(await pythonFiles(python)), ...wheels],
  })
  return stdout.trim()
}
