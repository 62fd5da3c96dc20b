import { run } from '../setup/command.mjs'
import type { ReleaseOptions } from './options.ts'
import type { PackedFile } from './package-files.ts'

export type Presence = 'absent' | 'same' | 'different'

const TIMEOUT_MS = 30_000

const ask = async (url: URL, accept: string, token = ''): Promise<Response | null> => {
  const headers = { accept, ...(token && { authorization: `Bearer ${token}` }) }
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) })
  if (response.status === 404) return null
  if (!response.ok) throw new Error(`${url.host} answered ${response.status}`)
  return response
}

const compare = (found: string | undefined, ours: string): Presence => {
  if (found === undefined) return 'absent'
  return found === ours ? 'same' : 'different'
}

export const presenceOnNpm = async (
  file: PackedFile,
  version: string,
  { registry, token }: ReleaseOptions['npm'],
): Promise<Presence> => {
  const response = await ask(new URL('haul-client', registry), 'application/json', token)
  type Packument = { versions?: Record<string, { dist: { integrity: string } }> }
  const { versions = {} }: Packument = (await response?.json()) ?? {}
  return compare(versions[version]?.dist.integrity, `sha512-${file.digest('sha512', 'base64')}`)
}

/** Reads the page of PEP 503, which every index has. */
export const presenceOnPypi = async (file: PackedFile, { indexUrl }: ReleaseOptions['pypi']): Promise<Presence> => {
  const response = await ask(new URL('haul-client/', indexUrl), 'text/html')
  const page = response ? await response.text() : ''
  const links = page.matchAll(/href="([^"#]*)#sha256=([0-9a-f]{64})/g)
  const found = links.find(([, url]) => url?.split('/').at(-1) === file.name)
  return compare(found?.[2], file.digest('sha256', 'hex'))
}

export const uploadToNpm = async (
  file: PackedFile,
  { registry, token }: ReleaseOptions['npm'],
  hasRepository: boolean,
): Promise<void> => {
  // Provenance says which run of CI has made a package. npm refuses it elsewhere, and without a repository.
  const isInCi = Boolean(process.env.ACTIONS_ID_TOKEN_REQUEST_URL || process.env.SIGSTORE_ID_TOKEN)
  const provenance = `--provenance=${hasRepository && isInCi}`
  const args = ['publish', file.path, '--registry', registry, '--access', 'public', provenance]
  const login = { [`npm_config_${registry.replace(/^https?:/, '')}:_authToken`]: token }
  await run('npm', args, { cwd: '/', env: { ...process.env, ...login } })
}

export const uploadToPypi = async (
  files: PackedFile[],
  { uploadUrl, token }: ReleaseOptions['pypi'],
  tools: string,
): Promise<void> => {
  const args = ['-m', 'twine', 'upload', '--non-interactive', '--disable-progress-bar', '--repository-url', uploadUrl]
  const login = { TWINE_USERNAME: '__token__', TWINE_PASSWORD: token }
  await run(tools, [...args, ...files.map(({ path }) => path)], { cwd: '/', env: { ...process.env, ...login } })
}
