import { canonicalHost } from './canonical-host.ts'

/** For sources that refuse the addresses of data centres. The container connects through them. */
export interface SourceProxies {
  readonly all: readonly SourceProxy[]
  /** One at least. The next is tried when a source refuses what comes by the one before. */
  routesTo(hostname: string): readonly Route[]
}

/** null: without a proxy. */
export type Route = SourceProxy | null

export type SourceProxyProtocol = 'http' | 'https' | 'socks5'

export class SourceProxy {
  readonly protocol: SourceProxyProtocol
  /** A name or an address, without the brackets of IPv6. */
  readonly host: string
  readonly port: number
  /** Private, so that an object that is logged by mistake does not show them. */
  readonly #credentials: Credentials | null

  constructor(protocol: SourceProxyProtocol, host: string, port: number, credentials: Credentials | null) {
    this.protocol = protocol
    this.host = host
    this.port = port
    this.#credentials = credentials
  }

  credentials(): Credentials | null {
    return this.#credentials
  }
}

export interface Credentials {
  username: string
  password: string
}

const directOnly: readonly Route[] = [null]

export const noSourceProxies: SourceProxies = { all: [], routesTo: () => directOnly }

export const hasSourceProxy = (proxies: SourceProxies, hostname: string): boolean =>
  proxies.routesTo(hostname).some((route) => route !== null)

/** Throws an error that says which entry is wrong, and shows none of it: it may contain a password. */
export const readSourceProxies = ({
  url = '',
  byHost = '',
}: {
  url?: string | undefined
  byHost?: string | undefined
}): SourceProxies => {
  // A password may contain a comma.
  const entries = url.split(/\s+/).filter(Boolean)
  const general = entries.map((entry, index) =>
    readRoute(entry, entries.length === 1 ? 'SOURCE_PROXY_URL' : `SOURCE_PROXY_URL: entry ${index + 1}`),
  )
  const special = new Map<string, Route[]>()
  const pairs = byHost.split(/[\s,]+/).filter(Boolean)
  for (const [index, pair] of pairs.entries()) {
    const name = `SOURCE_PROXIES: entry ${index + 1}`
    const at = pair.indexOf('=')
    if (at === -1) throw new Error(`${name} must be host=url or host=direct.`)
    const host = readHost(pair.slice(0, at), name)
    const routes = special.get(host) ?? []
    routes.push(readRoute(pair.slice(at + 1), name))
    special.set(host, routes)
  }
  const routesTo = (hostname: string): readonly Route[] => {
    const host = canonicalHost(hostname)
    for (let name = host; name !== ''; name = parentOf(name)) {
      const found = special.get(name)
      if (found !== undefined) return found
    }
    return general.length > 0 ? general : directOnly
  }
  return { all: [general, ...special.values()].flat().filter((route) => route !== null), routesTo }
}

const readRoute = (text: string, name: string): Route => (text === 'direct' ? null : readProxy(text, name))

const defaultPorts = { http: 80, https: 443, socks5: 1080 } as const
/** RFC 1929: each length is one byte. */
const MAX_SOCKS_CREDENTIAL_BYTES = 255

const mustBeLike = 'must be like http://user:password@proxy.example:8080.'

const readProxy = (text: string, name: string): SourceProxy => {
  const url = URL.parse(text)
  if (!url) throw new Error(`${name} ${mustBeLike}`)
  const protocol = url.protocol.slice(0, -1)
  if (!isSupported(protocol)) throw new Error(`${name} must begin with http://, https:// or socks5://.`)
  const hasMore = !['', '/'].includes(url.pathname) || url.search !== '' || url.hash !== ''
  // The parser takes the host of a socks5 URL as it is.
  const host = URL.parse(`http://${url.hostname}`)?.hostname
  if (!host || hasMore) throw new Error(`${name} ${mustBeLike}`)
  const credentials = readCredentials(url)
  if (!credentials) throw new Error(`${name}: "%" in a user name or password must be written as %25.`)
  if (protocol === 'socks5' && Object.values(credentials).some(isTooLong)) {
    throw new Error(`${name}: SOCKS5 allows 255 bytes for a user name and for a password.`)
  }
  const isAnonymous = credentials.username === '' && credentials.password === ''
  const port = Number(url.port) || defaultPorts[protocol]
  return new SourceProxy(protocol, canonicalHost(host), port, isAnonymous ? null : credentials)
}

const isSupported = (protocol: string): protocol is SourceProxyProtocol => Object.hasOwn(defaultPorts, protocol)

const readCredentials = ({ username, password }: URL): Credentials | null => {
  try {
    return { username: decodeURIComponent(username), password: decodeURIComponent(password) }
  } catch {
    return null
  }
}

const isTooLong = (text: string): boolean => new TextEncoder().encode(text).length > MAX_SOCKS_CREDENTIAL_BYTES

const readHost = (text: string, name: string): string => {
  const url = URL.parse(`http://${text}`)
  // A port, a path or credentials would be ignored.
  if (!url || text === '' || /[/?#@\\]|:\d*$/.test(text.replace(/^\[.*\]/, ''))) {
    throw new Error(`${name} must begin with a host name, without a port or path.`)
  }
  if (/^[*.]/.test(text)) throw new Error(`${name}: a host includes its subdomains, so write example.com.`)
  return canonicalHost(url.hostname)
}

const parentOf = (name: string): string => name.slice(`${name.split('.', 1)[0]}.`.length)
