import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test, vi } from 'vitest'
import { inRegion, type Region } from '../../../domain/account/regions.ts'
import { newId } from '../../../domain/ids.ts'
import { engineOf } from '../../../worker/engine/engine.ts'
import { configOf } from '../../../worker/env.ts'
import { allFleets, fleetOf, planOf } from '../../../worker/fleet/fleet-of.ts'
import worker from '../../../worker/index.ts'
import { allMetrics } from '../../../worker/metrics/metrics-of.ts'
import { callApi, ORIGIN } from '../support/caller.ts'

/** The Worker's environment with containers in regions, and the hints with which objects were asked for. */
const inRegions = (REGION: string) => {
  const hints = new Map<string, string | undefined>()
  /** Asks for the object without the hint. */
  const noting = <Namespace extends Pick<Env['METRICS'], 'getByName'>>(namespace: Namespace): Namespace => {
    const getByName: Env['METRICS']['getByName'] = (name, options) => {
      hints.set(name, options?.locationHint)
      return namespace.getByName(name)
    }
    return { getByName } as Namespace
  }
  const objects = { FLEET_OBJECTS: noting(env.FLEET_OBJECTS as never), METRICS: noting(env.METRICS) } as unknown as Env
  const ENGINES = noting(env.ENGINES as never) as Env['ENGINES']
  return { hints, env: { ...env, ...objects, ENGINES, ENGINE_URLS: '', FLEETS: '2', REGION } as Env }
}

test('each region has fleets and engines of its own, which are made there', () => {
  const { env: world, hints } = inRegions('oc weur')
  const names = allFleets(world).map(({ name }) => name)
  expect(names).toEqual(['fleet-oc-0', 'fleet-oc-1', 'fleet-weur-0', 'fleet-weur-1'])
  expect([...hints.values()]).toEqual(['oc', 'oc', 'weur', 'weur'])
  const config = { ...configOf(world), MIN_ENGINES: 1, MAX_ENGINES: 3 }
  expect(planOf(config, 'fleet-weur-0')).toMatchObject({ names: ['engine-weur-0', 'engine-weur-2'], warm: 1 })
})

test('an engine is made in its region, and metrics in the first one', async () => {
  const { env: world, hints } = inRegions('oc weur')
  allMetrics(world)
  vi.spyOn(console, 'error').mockReturnValueOnce()
  await engineOf(world.ENGINES, 'engine-weur-2').state(1)
  expect([hints.get('metrics-0'), hints.get('engine-weur-2')]).toEqual(['oc', 'weur'])
})

test('a new account and its key have the first region', async () => {
  const body = JSON.stringify({ name: 'Ada', creditDollars: 1 })
  const headers = { authorization: 'Bearer admin-token', 'content-type': 'application/json' }
  const request = new Request(`${ORIGIN}/admin/accounts`, { method: 'POST', headers, body })
  const response = await worker.fetch(request, inRegions('oc weur').env, createExecutionContext())
  const { data } = await response.json<{ data: { accountId: string; apiKey: string } }>()
  expect(data.accountId).toMatch(/^acct_[0-9a-z]{26}_oc$/)
  expect((await callApi('GET', '/account', { key: data.apiKey })).body.data).toMatchObject({
    accountId: data.accountId,
  })
})

test('an account stays with its region when new accounts get another one', () => {
  const id = newId('account', Date.now())
  const regionIn = (REGION: string, region?: Region) => fleetOf(inRegions(REGION).env, inRegion(id, region)).name
  expect(regionIn('', undefined)).toMatch(/^fleet-[01]$/)
  expect(regionIn('weur', 'weur')).toMatch(/^fleet-weur-[01]$/)
  expect(regionIn('oc weur', 'weur')).toBe(regionIn('weur', 'weur'))
  expect(regionIn('oc weur', 'oc')).toMatch(/^fleet-oc-[01]$/)
})

test('a fleet whose region is not served any more starts no engine before a step needs one', () => {
  const config = { ...configOf(inRegions('oc').env), MIN_ENGINES: 3, MAX_ENGINES: 3 }
  for (const name of ['fleet-weur-0', 'fleet-0']) expect(planOf(config, name)).toMatchObject({ warm: 0 })
})

test('engines at URLs have no region', () => {
  const elsewhere = { ...inRegions('oc').env, ENGINE_URLS: env.ENGINE_URLS }
  expect(fleetOf(elsewhere, inRegion(newId('account', Date.now()), 'oc')).name).toMatch(/^fleet-[01]$/)
})
