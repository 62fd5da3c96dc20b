import { readName } from '../../domain/fleet/fleet-index.ts'

/** Where the platform makes a fleet or an engine, by its name. The hint counts only when the object is made. */
export const placementOf = (name: string): DurableObjectNamespaceGetDurableObjectOptions => {
  const { region } = readName(name)
  return region ? { locationHint: region } : {}
}
