/** Cloudflare's location hints. Objects of South America, Africa and the Middle East are in the nearest location. */
const places = {
  wnam: { storage: 'wnam', containers: ['WNAM'] },
  enam: { storage: 'enam', containers: ['ENAM'] },
  sam: { storage: 'enam', containers: ['SAM'] },
  weur: { storage: 'weur', containers: ['WEUR'] },
  eeur: { storage: 'eeur', containers: ['EEUR'] },
  apac: { storage: 'apac', containers: ['APAC'] },
  // Cloudflare refuses these three as the only region of containers: their capacity is limited.
  oc: { storage: 'oc', containers: ['OC', 'APAC'] },
  afr: { storage: 'weur', containers: ['AFR', 'WEUR'] },
  me: { storage: 'eeur', containers: ['ME', 'EEUR'] },
} as const

export type Region = keyof typeof places

const names = Object.keys(places) as Region[]

export const isRegion = (text: string | undefined): text is Region => names.some((name) => name === text)

export const REGION_PATTERN = `(?:${names.join('|')})`

export const readRegions = (text: string): Region[] => {
  const regions = text.split(/\s+/).map((entry) => {
    if (!isRegion(entry)) throw new Error(`REGION has "${entry}", which is none of ${names.join(', ')}.`)
    return entry
  })
  return [...new Set(regions)]
}

export const storageHint = (region: Region): string => places[region].storage

export const containerRegions = (regions: readonly Region[]): string[] => [
  ...new Set(regions.flatMap((region) => places[region].containers)),
]

/** The id of an account says which fleet it uses, without a lookup. The region is a part of its API keys, too. */
export const inRegion = (accountId: string, region: Region | undefined): string =>
  region ? `${accountId}_${region}` : accountId

/**
 * An account without a region, or whose region is not served any more, uses the last one: a new region is listed first,
 * so that is the oldest. null: the deployment has no regions.
 */
export const regionOf = (accountId: string, regions: readonly Region[]): Region | null => {
  const [, , own] = accountId.split('_')
  return regions.find((region) => region === own) ?? regions.at(-1) ?? null
}
