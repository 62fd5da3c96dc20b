import { join } from 'node:path'
import { expect, test } from 'vitest'
import { importsIn, violationOf, violationsIn } from '../../../scripts/check/import-direction.ts'

test.each([
  ['a room imports a room above it', 'worker/account/account-object.ts', '../http/app.ts', 'account is below http'],
  ['a room imports the entry point', 'worker/steps/consume-steps.ts', '../index.ts', 'steps is below index'],
  [
    'a room imports a room on its level',
    'worker/media/serve.ts',
    '../engine/client.ts',
    'media and engine are on one level',
  ],
  [
    'a file imports a room on its level',
    'worker/outbound.ts',
    './directory.ts',
    'outbound and directory are on one level',
  ],
  [
    'a room of the container imports a room above it',
    'container/media/probe.ts',
    '../steps/run.ts',
    'media is below steps',
  ],
  ['a single file imports a room', 'container/log.ts', './egress/egress.ts', 'is below egress'],
  [
    'the Worker imports the container',
    'worker/engine/client.ts',
    '../../../container/server.ts',
    'worker/ imports only',
  ],
  ['the container imports the Worker', 'container/steps/run.ts', '../../../worker/env.ts', 'container/ imports only'],
  [
    'a program imports a test',
    'worker/speech/join-pieces.ts',
    '../../doubles/providers/fake-provider.ts',
    'worker/ imports only',
  ],
  ['a program imports a script', 'container/main.ts', '../scripts/start/ports.ts', 'container/ imports only'],
  ['a program imports the console', 'worker/http/app.ts', '../../../console/assets/main.js', 'worker/ imports only'],
  ['the domain imports a program', 'domain/money/prices.ts', '../../../worker/env.ts', 'domain/ imports only domain/'],
  ['the protocol imports a rule', 'domain/protocol/orders.ts', '../codes/failures.ts', 'domain/protocol/ and zod'],
  ['the protocol imports another package', 'domain/protocol/orders.ts', 'undici', 'domain/protocol/ and zod'],
  [
    'the console imports a program',
    'console/assets/main.js',
    '../../../worker/http/app.ts',
    'console/ imports only console/',
  ],
  [
    'the client imports a program',
    'client/src/haul.ts',
    '../../../domain/ids.ts',
    'client/src/ imports only client/src/',
  ],
  ['the library imports the command line', 'client/src/haul.ts', '../cli/main.ts', 'client/src/ imports only'],
  ['the library imports what browsers lack', 'client/src/haul.ts', 'node:crypto', 'client/src/ imports only'],
  ['the command line imports another package', 'client/cli/main.ts', 'undici', 'client/ and commander'],
  ['the provider imports the command line', 'client/ai/index.ts', '../cli/main.ts', 'client/ai/ imports only'],
  ['the library imports the provider', 'client/src/index.ts', '../ai/index.ts', 'client/src/ imports only client/src/'],
  ['a file is in no room', 'worker/wiring.ts', './env.ts', 'worker/wiring.ts is in none of the rooms'],
])('it is refused that %s', (_, from, to, sentence) => expect(violationOf({ from, to })).toContain(sentence))

test.each([
  ['a room imports itself', 'worker/account/account-object.ts', './holds-and-ledger.ts'],
  ['a room imports a room below it', 'worker/http/routes/imports.ts', '../../account/account-object.ts'],
  ['a room imports a file below it', 'worker/account/account-object.ts', '../env.ts'],
  ['a room imports a rule', 'worker/bucket/s3/copy.ts', '../../../domain/bucket/bucket-rules.ts'],
  ['a file imports a file of its room', 'container/server.ts', './health.ts'],
  ['the container imports the protocol', 'container/server.ts', '../domain/protocol/orders.ts'],
  ['a rule imports a rule', 'domain/money/bill.ts', './prices.ts'],
  ['a rule imports the protocol', 'domain/jobs/job.ts', '../protocol/protocol.ts'],
  ['the protocol imports zod', 'domain/protocol/orders.ts', 'zod'],
  ['the protocol imports itself', 'domain/protocol/reports.ts', './orders.ts'],
  ['the command line imports the library', 'client/cli/main.ts', '../src/index.ts'],
  ['the provider imports the library', 'client/ai/index.ts', '../src/index.ts'],
  ['the provider imports the types of the AI SDK', 'client/ai/index.ts', '@ai-sdk/provider'],
  ['the command line imports Node', 'client/cli/main.ts', 'node:fs'],
  ['a room imports a package', 'worker/http/app.ts', 'hono'],
])('it is allowed that %s', (_, from, to) => expect(violationOf({ from, to })).toBeNull())

test('imports are found in every form in which they are written', () => {
  const source = `
    import '../domain/a.ts'
    import { b } from '../domain/b.ts'
    import type { C } from "../domain/c.ts"
    export { d } from '../domain/d.ts'
    export * from '../domain/e.ts'
    import {
      f,
    } from '../domain/f.ts'
    const g = await import('../domain/g.ts')
    const h = await haul.import('https://example.com/h.mp4')
  `
  expect(importsIn('worker/index.ts', source).map(({ to }) => to)).toEqual(
    ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => `../domain/${name}.ts`),
  )
})

test('every import of this checkout points down', () => {
  expect(violationsIn(join(import.meta.dirname, '../../..'))).toEqual([])
})
