import { parseArgs } from 'node:util'
import { makeFixtures } from './fixtures.ts'
import { startOrigin } from './origin.ts'

/** Runs the origin alone, for manual tests: `node test/doubles/origin/main.ts --port 0`. */
const { values } = parseArgs({ options: { port: { type: 'string', default: '0' }, root: { type: 'string' } } })

await makeFixtures()
const origin = await startOrigin({ port: Number(values.port), ...(values.root ? { root: values.root } : {}) })
console.log(origin.url)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => origin.close())
