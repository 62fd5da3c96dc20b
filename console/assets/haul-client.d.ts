/** haul-client.js is the library, which the set-up bundles for the console. */
export * from '../../client/dist/src/for-console.js'
