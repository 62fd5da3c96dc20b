import { z } from 'zod'

/**
 * Where the Worker does not run on Cloudflare's network (development, tests), its own fetch can see
 * private neighbours, so it asks the container's guard whether a name may be reached.
 */
export const ResolveOrder = z.object({ host: z.string(), port: z.number().int() })
export const ResolveAnswer = z.object({ allowed: z.boolean() })
