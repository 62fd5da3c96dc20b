import { expect, test } from 'vitest'
import { StaticPathRouter } from '../../../../worker/http/static-path-router.ts'

const names = (router: StaticPathRouter<string>, method: string, path: string) =>
  router.match(method, path)[0].map(([handler]) => handler)

const newRouter = () => {
  const router = new StaticPathRouter<string>()
  router.add('ALL', '/*', 'first')
  router.add('GET', '/jobs', 'list')
  router.add('POST', '/jobs/:id/replay', 'replay one')
  router.add('POST', '/jobs/replay', 'replay all')
  return router
}

test.each([
  ['GET', '/jobs', ['first', 'list']],
  ['POST', '/jobs', ['first']],
  ['POST', '/jobs/replay', ['first', 'replay all']],
  ['POST', '/jobs/7/replay', ['first', 'replay one']],
  ['GET', '/unknown', ['first']],
  ['PURGE', '/jobs', ['first']],
])('%s %s finds the same handlers each time', (method, path, handlers) => {
  const router = newRouter()
  expect([names(router, method, path), names(router, method, path)]).toEqual([handlers, handlers])
})

test('a path with parameters is matched anew for each request', () => {
  const router = newRouter()
  const idOf = (path: string) => router.match('POST', path)[0].at(-1)?.[1]
  expect([idOf('/jobs/7/replay'), idOf('/jobs/8/replay')]).toEqual([{ id: '7' }, { id: '8' }])
})

test('a handler that is added after a match is found too', () => {
  const router = newRouter()
  names(router, 'GET', '/jobs')
  router.add('GET', '/jobs', 'second')
  expect(names(router, 'GET', '/jobs')).toEqual(['first', 'list', 'second'])
})
