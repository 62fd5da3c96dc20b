import { randomUUID } from 'node:crypto'
import type { FakeAccount } from './account.ts'
import { ok, type Routes } from './routes.ts'

/** Container applications, and credentials for the registry of images. */
export const containerRoutes = (account: FakeAccount): Routes => {
  const applicationOf = (id = '') => account.applications.find((application) => application.id === id)
  return {
    'POST /containers/registries/:domain/credentials': (_, [domain]) =>
      ok({ account_id: account.id, registry_host: domain, username: 'v1', password: 'registry-password' }),
    'GET /containers/applications': () => ok(account.applications),
    'POST /containers/applications': ({ json }) => {
      const application = { ...json, id: randomUUID(), rollouts: [] }
      account.applications.push(application)
      return ok(application)
    },
    'PATCH /containers/applications/:id': ({ json }, [id]) => {
      const application = applicationOf(id)
      return application && ok(Object.assign(application, json))
    },
    'POST /containers/applications/:id/rollouts': ({ json }, [id]) => {
      if (account.rolloutRefusal) return { status: 400, code: 1000, message: account.rolloutRefusal }
      applicationOf(id)?.rollouts.push(json)
      return ok({ id: randomUUID(), ...json })
    },
  }
}
