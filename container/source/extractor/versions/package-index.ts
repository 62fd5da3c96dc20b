import { createHash } from 'node:crypto'
import { compare, explain, satisfies } from '@renovatebot/pep440'
import { z } from 'zod'

import type { Egress } from '../../../egress/egress.ts'

/** Reads a Python package index by its JSON API (PEP 691), which states a digest for each file. */
export type PackageIndex = ReturnType<typeof createPackageIndex>

/** The index, or what it serves, cannot be used. A sentence for the operator. */
export class IndexFailed extends Error {}

export interface Wheel {
  version: string
  url: string
  sha256: string
}

const File = z.object({
  filename: z.string(),
  url: z.string(),
  hashes: z.record(z.string(), z.string()),
  'requires-python': z.string().nullish(),
  yanked: z.union([z.boolean(), z.string()]).optional(),
})
type File = z.infer<typeof File>

const Project = z.object({ files: z.array(File) })

const CONTENT_TYPE = 'application/vnd.pypi.simple.v1+json'
/** That of yt-dlp has half a megabyte. */
const MAX_PROJECT_BYTES = 20_000_000
/** A wheel of yt-dlp has three megabytes. */
export const MAX_WHEEL_BYTES = 30_000_000

interface IndexOptions {
  /** YTDLP_INDEX_URL, such as https://pypi.org/simple. */
  url: string
  /** The version of Python that runs yt-dlp. */
  python: string
}

export const createPackageIndex = ({ url, python }: IndexOptions) => {
  const base = url.endsWith('/') ? url : `${url}/`
  /** The wheels of a project that this Python can use, oldest first. */
  const wheelsOf = async (project: string, egress: Egress): Promise<Wheel[]> => {
    const address = `${base}${project}/`
    const body = await read(egress, address, { accept: CONTENT_TYPE, maxBytes: MAX_PROJECT_BYTES })
    const parsed = Project.safeParse(jsonOf(body))
    if (!parsed.success) throw new IndexFailed(`The package index does not answer as PEP 691 says: ${address}`)
    return parsed.data.files
      .flatMap((file) => wheelOf(file, project, address, python))
      .toSorted((one, other) => compare(one.version, other.version))
  }
  return {
    wheelsOf,
    /** The bytes of a wheel. Throws unless they have the digest that the index states. */
    download: async (wheel: Wheel, egress: Egress): Promise<Uint8Array> => {
      const bytes = await read(egress, wheel.url, { accept: '*/*', maxBytes: MAX_WHEEL_BYTES })
      const digest = createHash('sha256').update(bytes).digest('hex')
      if (digest !== wheel.sha256) throw new IndexFailed(`${wheel.url} does not have the digest that the index states.`)
      return bytes
    },
  }
}

const wheelOf = (file: File, project: string, address: string, python: string): Wheel[] => {
  const [name, version = '', ...tags] = file.filename.replace(/\.whl$/, '').split('-')
  const isWheel = file.filename.endsWith('.whl') && name === project.replaceAll('-', '_')
  // The tags of a wheel that is pure Python. Others would have to fit this machine.
  if (!isWheel || !explain(version) || tags.join('-') !== 'py3-none-any') return []
  if (file.yanked !== undefined && file.yanked !== false) return []
  const requires = file['requires-python']
  if (requires && !satisfies(python, requires)) return []
  const sha256 = file.hashes.sha256?.toLowerCase()
  const url = URL.parse(file.url, address)
  return sha256 && url ? [{ version, url: url.href, sha256 }] : []
}

/** The newest wheel of the channel; null if there is none. */
export const newestOf = (wheels: readonly Wheel[], channel: string): Wheel | null => {
  const isWanted = ({ version }: Wheel): boolean => {
    if (channel === 'nightly') return true
    return channel === 'stable' ? !isPrerelease(version) : compare(version, channel) === 0
  }
  return wheels.findLast(isWanted) ?? null
}

const isPrerelease = (version: string): boolean => explain(version)?.is_prerelease !== false

const read = async (
  egress: Egress,
  url: string,
  { accept, maxBytes }: { accept: string; maxBytes: number },
): Promise<Uint8Array> => {
  const response = await egress.fetch(url, { headers: { accept } }).catch((cause) => {
    throw new IndexFailed(`The package index could not be reached: ${url}`, { cause })
  })
  if (!response.ok) {
    await response.body?.cancel()
    throw new IndexFailed(`The package index answered ${response.status}: ${url}`)
  }
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of response.body ?? []) {
      size += chunk.length
      if (size > maxBytes) throw new IndexFailed(`The package index sends more than ${maxBytes} bytes: ${url}`)
      chunks.push(chunk)
    }
  } catch (cause) {
    if (cause instanceof IndexFailed) throw cause
    throw new IndexFailed(`The connection to the package index broke: ${url}`, { cause })
  }
  return Buffer.concat(chunks)
}

const jsonOf = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return null
  }
}
