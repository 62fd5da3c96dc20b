/** How the requests of a step, or of a look-up, reach their source. */
export interface Access {
  /** Which of the routes to each host (SOURCE_PROXIES): the first is 0. */
  readonly route: number
  /** Requests look like a browser's, for sites that refuse all others. They cost more, and are slower. */
  readonly asBrowser: boolean
}

export const plainAccess: Access = { route: 0, asBrowser: false }

/** The most that a step spends on a source that refuses it. */
const MAX_TRIES = 4

/** What is tried for a host with this many routes, in this order. */
export const accessesOf = (routes: number): Access[] => {
  const asBrowser = Array.from({ length: routes }, (_, route) => ({ route, asBrowser: true }))
  return [plainAccess, ...asBrowser].slice(0, MAX_TRIES)
}

export const isSameAccess = (one: Access, other: Access): boolean =>
  one.route === other.route && one.asBrowser === other.asBrowser
