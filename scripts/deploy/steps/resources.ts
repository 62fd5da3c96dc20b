import { isDeepStrictEqual } from 'node:util'
import { storageHint } from '../../../domain/account/regions.ts'
import type { CloudflareApi } from '../cloudflare/api.ts'
import cors from '../cors.json' with { type: 'json' }
import lifecycle from '../lifecycle.json' with { type: 'json' }
import { regionsOf, retentionDaysOf, type Target } from '../target.ts'

interface Rule {
  conditions: { prefix: string }
  deleteObjectsTransition?: { condition: { maxAge: number } }
}

const MEDIA_PREFIX = 'media/'
const DAY_SECONDS = 86_400

/** The bucket removes media a day after the account. A longer rule stays, as it was promised to earlier imports. */
export const lifecycleRules = (retentionDays: number, found: Rule[]) => {
  const foundSeconds = found
    .filter(({ conditions }) => conditions.prefix === MEDIA_PREFIX)
    .map(({ deleteObjectsTransition }) => deleteObjectsTransition?.condition.maxAge ?? 0)
  const maxAge = Math.max((retentionDays + 1) * DAY_SECONDS, ...foundSeconds)
  return lifecycle.rules.map((rule) =>
    rule.conditions.prefix === MEDIA_PREFIX
      ? { ...rule, deleteObjectsTransition: { condition: { type: 'Age', maxAge } } }
      : rule,
  )
}

/** Creates the bucket and the database in the first region. They stay where they are created. */
export const createMissingResources = async (api: CloudflareApi, target: Target) => {
  const changes: string[] = []
  const [region] = regionsOf(target)
  const location = region && storageHint(region)
  const where = location ? ` in ${location}` : ''
  for (const queue of target.queues) {
    const found = (await api.get<{ queue_name: string }[]>(`/queues?name=${queue}`)) ?? []
    if (found.some(({ queue_name }) => queue_name === queue)) continue
    await api.send('POST', '/queues', { queue_name: queue })
    changes.push(`queue ${queue} created`)
  }
  if (!(await api.get(`/r2/buckets/${target.bucket}`))) {
    await api.send('POST', '/r2/buckets', { name: target.bucket, ...(location && { locationHint: location }) })
    changes.push(`bucket ${target.bucket} created${where}`)
  }
  const path = `/r2/buckets/${target.bucket}/lifecycle`
  const found = (await api.get<{ rules: Rule[] }>(path))?.rules ?? []
  const rules = lifecycleRules(retentionDaysOf(target), found)
  if (!isDeepStrictEqual(found, rules)) {
    await api.send('PUT', path, { rules })
    changes.push('lifecycle rules set')
  }
  // 404 while the bucket has no policy.
  const policy = `/r2/buckets/${target.bucket}/cors`
  if (!isDeepStrictEqual((await api.get<{ rules: unknown }>(policy))?.rules, cors.rules)) {
    await api.send('PUT', policy, cors)
    changes.push('CORS policy set')
  }
  const databaseId = target.database.id ?? (await findDatabase(api, target.database.name))
  if (databaseId) return { databaseId, changes }
  const created = await api.send<{ uuid: string }>('POST', '/d1/database', {
    name: target.database.name,
    ...(location && { primary_location_hint: location }),
  })
  return { databaseId: created.uuid, changes: [...changes, `database ${target.database.name} created${where}`] }
}

/** Names of databases are unique in an account. The API looks for names that contain this one. */
const findDatabase = async (api: CloudflareApi, name: string): Promise<string | null> => {
  const found = (await api.get<{ name: string; uuid: string }[]>(`/d1/database?name=${name}&per_page=100`)) ?? []
  return found.find((database) => database.name === name)?.uuid ?? null
}
