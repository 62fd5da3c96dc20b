import { claimPort } from './ports.ts'

/** Where the containers are: on this machine, with their ports, or elsewhere. */
export interface EngineAddresses {
  urls: string[]
  /** Of the containers to start. Empty: they run elsewhere. */
  ports: number[]
}

export interface EngineSettings {
  /** ENGINE_URLS: containers that run elsewhere. */
  urls?: string | undefined
  /** ENGINES: how many to start. */
  count?: number | undefined
  /** ENGINE_PORT: of the first, and the others have the next ones. 0 or undefined: any free ports. */
  firstPort?: number | undefined
}

const MAX_ENGINES = 64

export const claimEngines = async ({ urls, count = 1, firstPort = 0 }: EngineSettings): Promise<EngineAddresses> => {
  const elsewhere = (urls ?? '').split(',').flatMap((url) => url.trim().replace(/\/$/, '') || [])
  if (elsewhere.length > 0) return { urls: elsewhere.map(checkedUrl), ports: [] }
  if (!Number.isInteger(count) || count < 1 || count > MAX_ENGINES) {
    throw new Error(`ENGINES must be a number from 1 to ${MAX_ENGINES}.`)
  }
  const ports: number[] = []
  for (let index = 0; index < count; index++) {
    ports.push(await claimPort(firstPort && firstPort + index, 'ENGINE_PORT'))
  }
  return { urls: ports.map((port) => `http://127.0.0.1:${port}`), ports }
}

const checkedUrl = (url: string): string => {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url
  throw new Error(`ENGINE_URLS must be URLs like http://10.0.0.5:8788, separated by commas, not "${url}".`)
}
