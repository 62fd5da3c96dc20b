import { join } from 'node:path'
import { expect, test } from 'vitest'
import { arrowsOf, isWrong, wrongArrows } from '../../scripts/arrows.ts'

test.each([
  ['a stage imports another stage', 'worker/http/routes/imports.ts', '../../account/ledger.ts'],
  ['a stage is introduced by a stage', 'worker/queue/consume.ts', '../index.ts'],
  ['a stage knows the flow it stands in', 'worker/engine/reports.ts', '../flows/imports.ts'],
  ['a rule reads the environment', 'worker/domain/money/prices.ts', '../../env.ts'],
  ['a rule knows the protocol', 'worker/domain/words/runs.ts', '../../../container/protocol.ts'],
  ['a part of the Worker imports the container', 'worker/engine/client.ts', '../../container/server.ts'],
  ['the directory imports a stage', 'worker/directory.ts', './account/rows.ts'],
  ['the container imports a stage', 'container/steps/fetch.ts', '../../worker/media/links.ts'],
  ['the protocol imports a rule', 'container/protocol.ts', '../worker/domain/codes/failures.ts'],
  ['a message imports a rule', 'container/protocol/orders.ts', '../../worker/domain/codes/failures.ts'],
  ['a message imports the container', 'container/protocol/orders.ts', '../steps/step.ts'],
  ['a message imports a package other than zod', 'container/protocol/orders.ts', 'undici'],
  ['a stage passes by the door of the protocol', 'worker/engine/client.ts', '../../container/protocol/orders.ts'],
  ['the product imports a test', 'worker/speech/pieces.ts', '../../test/providers/piece.ts'],
  ['the container imports a test', 'container/main.ts', '../test/origin/origin.ts'],
])('it is wrong when %s', (_, from, to) => expect(isWrong({ from, to })).toBe(true))

test.each([
  ['a stage imports itself', 'worker/account/object.ts', './ledger.ts'],
  ['a stage imports a rule', 'worker/delivery/s3/copy.ts', '../../domain/storage/bucket.ts'],
  ['a stage imports the protocol', 'worker/engine/client.ts', '../../container/protocol.ts'],
  ['index.ts introduces stages', 'worker/index.ts', './queue/consume.ts'],
  ['wiring.ts introduces stages', 'worker/wiring.ts', './engine/client.ts'],
  ['a flow leads from stage to stage', 'worker/flows/imports.ts', '../engine/client.ts'],
  ['the container imports a rule', 'container/failures.ts', '../worker/domain/codes/failures.ts'],
  ['the protocol opens on its messages', 'container/protocol.ts', './protocol/orders.ts'],
  ['a message imports zod', 'container/protocol/orders.ts', 'zod'],
  ['a message is made of another', 'container/protocol/reports.ts', './results.ts'],
  ['a stage imports a package', 'worker/http/app.ts', 'hono'],
])('it is right when %s', (_, from, to) => expect(isWrong({ from, to })).toBe(false))

test('imports are seen in every form in which they are written', () => {
  const source = `
    import './a.ts'
    import { b } from './b.ts'
    import type { C } from "./c.ts"
    export { d } from './d.ts'
    export * from './e.ts'
    import {
      f,
    } from './f.ts'
    const g = await import('./g.ts')
  `
  expect(arrowsOf('worker/index.ts', source).map(({ to }) => to)).toEqual(
    ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => `./${name}.ts`),
  )
})

test('every import of this checkout points the right way', () => {
  expect(wrongArrows(join(import.meta.dirname, '../..'))).toEqual([])
})
