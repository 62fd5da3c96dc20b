import { env } from 'cloudflare:workers'

/** How many random cases a test tries: ten times as many in `npm run test:long`. */
export const runs = (usual: number): number =>
  (env as { HAUL_TEST_LONG?: string }).HAUL_TEST_LONG ? 10 * usual : usual
