import { createHash } from 'node:crypto'
import { compare, explain, satisfies } from '@renovatebot/pep440'
import { z } from 'zod'
import { isPublicAddress } from '../../../../domain/network/addresses.ts'
import { createEgress, type Egress } from '../../../egress/egress.ts'
import { type AddressGuard, createGuard, Forbidden, type Lookup, systemLookup } from '../../../egress/guard.ts'
import { jsonIn, readAtMost } from '../../../sandbox/lines.ts'

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
  /** A string is the reason. */
  yanked: z.union([z.boolean(), z.string()]).default(false),
})
const Project = z.object({ files: z.array(File) })

const CONTENT_TYPE = 'application/vnd.pypi.simple.v1+json'
/** The list of yt-dlp's files has half a megabyte, and its wheel three. */
const [MAX_PROJECT_BYTES, MAX_WHEEL_BYTES] = [20_000_000, 30_000_000]

interface IndexOptions {
  /** YTDLP_INDEX_URL, such as https://pypi.org/simple. */
  url: URL
  /** The version of Python that runs yt-dlp. */
  pythonVersion: string
  lookup?: Lookup
}

/** Reads a Python package index by its JSON API (PEP 691), which states a digest for each file. */
export const createPackageIndex = ({ url, pythonVersion, lookup = systemLookup }: IndexOptions) => {
  const base = url.href.replace(/\/?$/, '/')
  return {
    /** The wheels of a project that this Python can use, oldest first. */
    wheelsOf: async (project: string, signal: AbortSignal): Promise<Wheel[]> => {
      const address = `${base}${project}/`
      const body = await readAll(createIndexEgress(url, lookup, signal), address, CONTENT_TYPE, MAX_PROJECT_BYTES)
      const parsed = Project.safeParse(jsonIn(body))
      if (!parsed.success) throw new IndexFailed(`The package index does not answer as PEP 691 says: ${address}`)
      return parsed.data.files
        .flatMap((file) => wheelOf(file, project, address, pythonVersion))
        .toSorted((one, other) => compare(one.version, other.version))
    },
    /** The bytes of a wheel. Throws unless they have the digest that the index states. */
    download: async (wheel: Wheel, signal: AbortSignal): Promise<Uint8Array> => {
      const bytes = await readAll(createIndexEgress(url, lookup, signal, wheel.url), wheel.url, '*/*', MAX_WHEEL_BYTES)
      const digest = createHash('sha256').update(bytes).digest('hex')
      if (digest !== wheel.sha256) throw new IndexFailed(`${wheel.url} does not have the digest that the index states.`)
      return bytes
    },
  }
}

const wheelOf = (file: z.infer<typeof File>, project: string, address: string, pythonVersion: string): Wheel[] => {
  const [name, version = '', ...tags] = file.filename.replace(/\.whl$/, '').split('-')
  const isWheel = file.filename.endsWith('.whl') && name === project.replaceAll('-', '_')
  // The tags of a wheel that is pure Python. Others would have to fit this machine.
  if (!isWheel || !explain(version) || tags.join('-') !== 'py3-none-any' || file.yanked !== false) return []
  const requires = file['requires-python']
  if (requires && !satisfies(pythonVersion, requires)) return []
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

/** Reads a response, and closes the egress. */
const readAll = async (egress: Egress, url: string, accept: string, maxBytes: number): Promise<Buffer> => {
  try {
    const response = await egress.fetch(url, { headers: { accept } }).catch((cause) => {
      throw new IndexFailed(`The package index could not be reached: ${url}`, { cause })
    })
    if (!response.ok) throw new IndexFailed(`The package index answered ${response.status}: ${url}`)
    const body = await readAtMost(response.body, maxBytes)
    if (!body) throw new IndexFailed(`The package index sends more than ${maxBytes} bytes: ${url}`)
    return body
  } catch (cause) {
    if (cause instanceof IndexFailed) throw cause
    throw new IndexFailed(`The connection to the package index broke: ${url}`, { cause })
  } finally {
    await egress.close()
  }
}

/**
 * Reaches the package index, and one host with files of it. The operator has chosen the index, so it may be in a private
 * network. The index chooses the host of a file: it comes over TLS, and from a private network only if the index is in one.
 */
const createIndexEgress = (index: URL, lookup: Lookup, signal: AbortSignal, fileUrl?: string): Egress => {
  const indexPort = Number(index.port) || (index.protocol === 'https:' ? HTTPS_PORT : 80)
  const ofIndex = `${hostOf(index)}:${indexPort}`
  const file = URL.parse(fileUrl ?? '')
  const ofFile = file && `${hostOf(file)}:${HTTPS_PORT}`
  const publicOnly = createGuard({ lookup })
  const anywhere = createGuard({ lookup, allow: `${ofIndex},${ofFile ?? ''}` })
  const addressesOf: AddressGuard['addressesOf'] = async (host, port) => {
    const isIndex = `${host}:${port}` === ofIndex
    if (!isIndex && `${host}:${port}` !== ofFile) throw new Forbidden('not a host of the package index')
    const addresses = await anywhere.addressesOf(hostOf(index), indexPort)
    if (isIndex) return addresses
    const isPublic = addresses.every(({ address }) => isPublicAddress(address))
    return (isPublic ? publicOnly : anywhere).addressesOf(host, port)
  }
  return createEgress({ guard: { ...anywhere, addressesOf }, signal })
}

const HTTPS_PORT = 443
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '')
