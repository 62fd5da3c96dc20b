/** A suite that ran in Node by mistake would test other globals, and mostly pass. */
if (navigator.userAgent !== 'Cloudflare-Workers') throw new Error('This test must run in the Workers runtime.')
