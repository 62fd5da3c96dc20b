import { claimPort } from './ports.ts'

/** Where the containers are: on this machine, with their ports, or elsewhere. */
export interface EngineAddresses {
  urls: string[]
  /** Of the containers to start. Empty: they run elsewhere. */
  ports: number[]
}

export interface EngineSettings {
  /** ENGINE_URLS: containers that run elsewhere. */
  urls?: string[] | null
  /** ENGINES: how many to start. */
  count?: number | undefined
  /** ENGINE_PORT: of the first, and the others have the next ones. 0 or undefined: any free ports. */
  firstPort?: number | undefined
}

export const claimEngines = async ({ urls, count = 1, firstPort = 0 }: EngineSettings): Promise<EngineAddresses> => {
  if (urls) return { urls, ports: [] }
  const ports: number[] = []
  for (let index = 0; index < count; index++) {
    ports.push(await claimPort(firstPort && firstPort + index, 'ENGINE_PORT'))
  }
  return { urls: ports.map((port) => `http://127.0.0.1:${port}`), ports }
}
