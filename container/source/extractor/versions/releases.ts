import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Lookup, systemLookup } from '../../../egress/guard.ts'
import { run } from '../../../sandbox/process.ts'
import { pythonFiles } from '../../../sandbox/program-files.ts'
import { createIndexEgress } from './index-egress.ts'
import { createPackageIndex, IndexFailed, newestOf, type PackageIndex, type Wheel } from './package-index.ts'
import { unpackWheel } from './unpack.ts'

/** A version of yt-dlp in a folder of its own, with the scripts that it needs. */
export interface Release {
  version: string
  folder: string
}

export type Releases = ReturnType<typeof createReleases>

const CHECK_TIMEOUT_MS = 60_000
const INSTALL_TIMEOUT_MS = 10 * 60_000

interface ReleasesOptions {
  python: string
  /** Emptied when the container starts. */
  folder: string
  indexUrl: URL
  /** Default: the system's. */
  lookup?: Lookup
}

/** Versions of yt-dlp from a package index. */
export const createReleases = ({ python, folder, indexUrl, lookup = systemLookup }: ReleasesOptions) => {
  let index: Promise<PackageIndex> | null = null
  const openIndex = () => {
    index ??= versionOf(python).then((version) => createPackageIndex({ url: indexUrl.href, python: version }))
    return index
  }
  const wheelsOf = async (project: string, signal: AbortSignal): Promise<Wheel[]> => {
    const egress = createIndexEgress(indexUrl, { lookup, signal })
    try {
      return await (await openIndex()).wheelsOf(project, egress)
    } finally {
      await egress.close()
    }
  }
  /** Returns what the wheel requires. */
  const unpack = async (wheel: Wheel, packageName: string, into: string, signal: AbortSignal): Promise<string[]> => {
    const egress = createIndexEgress(indexUrl, { fileUrl: wheel.url, lookup, signal })
    const path = join(into, `${packageName}.whl`)
    try {
      await writeFile(path, await (await openIndex()).download(wheel, egress))
      return await unpackWheel({ python, path, package: packageName, folder: into }, signal)
    } finally {
      await egress.close()
      await rm(path, { force: true })
    }
  }
  return {
    /** null: the index has none for this channel and this Python. */
    newest: async (channel: string, stopped: AbortSignal): Promise<Wheel | null> =>
      newestOf(await wheelsOf('yt-dlp', AbortSignal.any([stopped, AbortSignal.timeout(CHECK_TIMEOUT_MS)])), channel),
    /** Throws IndexFailed or CannotUnpack. */
    install: async (wheel: Wheel, stopped: AbortSignal): Promise<Release> => {
      const signal = AbortSignal.any([stopped, AbortSignal.timeout(INSTALL_TIMEOUT_MS)])
      const [staging, release] = [join(folder, 'unfinished'), join(folder, wheel.version)]
      for (const stale of [staging, release]) await rm(stale, { recursive: true, force: true })
      await mkdir(staging, { recursive: true })
      try {
        const scripts = scriptsIn(await unpack(wheel, 'yt_dlp', staging, signal))
        const found = newestOf(await wheelsOf('yt-dlp-ejs', signal), scripts)
        if (!found) throw new IndexFailed(`The package index has no yt-dlp-ejs ${scripts}.`)
        await unpack(found, 'yt_dlp_ejs', staging, signal)
        await rename(staging, release)
        return { version: wheel.version, folder: release }
      } finally {
        await rm(staging, { recursive: true, force: true })
      }
    },
    remove: (release: Release): Promise<void> => rm(release.folder, { recursive: true, force: true }),
  }
}

/** `yt-dlp-ejs==0.8.0; extra == "default"`: it accepts only the scripts of that version. */
const scriptsIn = (requires: string[]): string => {
  const version = requires.map((each) => /^yt-dlp-ejs==([\w.]+)/.exec(each)?.[1]).find((each) => each !== undefined)
  if (version === undefined) throw new IndexFailed('The wheel does not say which version of yt-dlp-ejs it requires.')
  return version
}

const versionOf = async (python: string): Promise<string> => {
  const code = 'import platform; print(platform.python_version())'
  const { stdout } = await run(python, ['-I', '-c', code], { timeoutMs: 10_000, reads: await pythonFiles(python) })
  return stdout.trim()
}
