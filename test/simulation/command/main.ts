import { registerProduct } from '../platform/modules.ts'

/**
 * `npm run simulate`: runs histories of the control plane, and prints what breaks an invariant. The product's modules are
 * loaded after their replacements are known, so everything else is imported here.
 */
const { readOptions, usage } = await import('./options.ts')
const options = readOptions(process.argv.slice(2))
if ('problem' in options) {
  process.stderr.write(`${options.problem}\n\n${usage}`)
  process.exit(2)
}
registerProduct(options.mutant)
const { simulate } = await import('./simulate.ts')
process.exitCode = await simulate(options)
