import { randomUUID } from 'node:crypto'
import type { FakeAccount, FakeVersion, FakeWorker } from './account.ts'
import { type Call, ok, type Routes } from './routes.ts'

/** Workers: versions, deployments, secrets, files, and where they are reached. */
export const workerRoutes = (account: FakeAccount): Routes => {
  const workerOf = (name = '') => account.workers.find((worker) => worker.name === name)
  /** Times grow by a second, because they order deployments. */
  let seconds = 0
  const now = () => new Date(Date.UTC(2026, 10, 1, 0, 0, seconds++)).toISOString()

  const upload = (worker: FakeWorker, { form, text }: Call): FakeVersion => {
    const metadata = JSON.parse(String(form?.get('metadata') ?? text))
    const at = now()
    const secrets = metadata.bindings.filter(({ type }: { type: string }) => type === 'secret_text')
    worker.secrets.push(...secrets.map(({ name }: { name: string }) => name))
    worker.migrationTag = metadata.migrations?.new_tag ?? worker.migrationTag
    const version = {
      id: randomUUID(),
      metadata: { created_on: at, modified_on: at, source: 'wrangler' },
      annotations: metadata.annotations ?? {},
      bindings: metadata.bindings.map((binding: { class_name?: string }) =>
        binding.class_name ? { ...binding, namespace_id: `${worker.name}-${binding.class_name}` } : binding,
      ),
    }
    worker.versions.push(version)
    deploy(worker, [{ version_id: version.id, percentage: 100 }], {})
    return version
  }

  const deploy = (
    worker: FakeWorker,
    versions: { version_id: string; percentage: number }[],
    annotations: Record<string, string>,
  ) => {
    const deployment = {
      ...{ id: randomUUID(), created_on: now(), source: 'wrangler', strategy: 'percentage' },
      ...{ versions, annotations },
    }
    worker.deployments.unshift(deployment)
    return deployment
  }

  const create = (name: string): FakeWorker => {
    const worker = { name, secrets: [], versions: [], deployments: [], migrationTag: undefined }
    account.workers.push(worker)
    return worker
  }

  return {
    'GET /workers/subdomain': () => ok({ subdomain: 'example' }),
    'GET /workers/services/:name': (_, [name]) => {
      const worker = workerOf(name)
      const script = {
        tag: `tag-${name}`,
        tags: [],
        last_deployed_from: 'wrangler',
        migration_tag: worker?.migrationTag,
      }
      return worker && ok({ id: name, default_environment: { environment: 'production', script } })
    },
    'GET /workers/scripts': () =>
      ok(account.workers.map(({ name, migrationTag }) => ({ id: name, migration_tag: migrationTag }))),
    'GET /workers/scripts/:name/secrets': (_, [name]) => {
      const worker = workerOf(name)
      return worker && ok(worker.secrets.map((secret) => ({ name: secret, type: 'secret_text' })))
    },
    'GET /workers/scripts/:name/deployments': (_, [name]) => {
      const worker = workerOf(name)
      return worker && ok({ deployments: worker.deployments })
    },
    'POST /workers/scripts/:name/deployments': ({ json }, [name]) => {
      const worker = workerOf(name)
      return worker && ok(deploy(worker, json.versions, json.annotations))
    },
    'GET /workers/scripts/:name/versions/:id': (_, [name, id]) => {
      const version = workerOf(name)?.versions.find((each) => each.id === id)
      return (
        version &&
        ok({ ...version, number: 1, resources: { bindings: version.bindings, script: {}, script_runtime: {} } })
      )
    },
    'GET /workers/scripts/:name/settings': (_, [name]) => {
      const worker = workerOf(name)
      return worker && ok({ bindings: worker.versions.at(-1)?.bindings ?? [] })
    },
    'PATCH /workers/scripts/:name/script-settings': ({ json }) => ok(json),
    'PUT /workers/scripts/:name': (call, [name = '']) => {
      const version = upload(workerOf(name) ?? create(name), call)
      return ok({ id: name, etag: 'etag', deployment_id: version.id.replaceAll('-', ''), startup_time_ms: 10 })
    },
    'POST /workers/scripts/:name/assets-upload-session': () => ok({ jwt: 'assets-jwt', buckets: [] }),
    'GET /workers/workers/:name': () => ok({ subdomain: { enabled: true, previews_enabled: true } }),
    'POST /workers/scripts/:name/subdomain': ({ json }) => ok(json),
    'PUT /workers/scripts/:name/schedules': ({ json }) => ok({ schedules: json }),
  }
}
