import { parseAdminTokens } from '../secrets/admin-tokens.ts'
import { parseSealKeys } from '../secrets/sealing.ts'
import { readSourceProxies } from '../source-proxies.ts'
import { parsedBy, text } from './rules.ts'
import { asListed, type Setting } from './setting.ts'

const made = { rule: text, isSecret: true, otherwise: 'made at the first start' } as const
const everywhere = { worker: asListed, selfHost: asListed }
const ofSources = { worker: asListed, container: asListed, start: asListed }
const proxies =
  'proxies for [sources that refuse data-centre addresses](docs/operating.md#sources-that-refuse-data-centre-addresses)'

/** Their values are in no message and in no argument of a program. */
export const secretSettings = {
  ENGINE_TOKEN: {
    ...made,
    about: 'between the Worker and its containers',
    takenBy: {
      ...everywhere,
      container: { otherwise: 'required' },
      start: { about: 'the token that the containers of `ENGINE_URLS` were started with' },
    },
  },
  ADMIN_TOKEN: { ...made, about: 'for the `/admin` endpoints', takenBy: everywhere },
  ADMIN_TOKENS: {
    rule: parsedBy(parseAdminTokens, 'name:token entries, separated by commas'),
    isSecret: true,
    about: '`ada:<token>,…`: a token for each operator besides `ADMIN_TOKEN`',
    takenBy: { ...everywhere, start: asListed },
  },
  HAUL_SECRET: { ...made, about: 'signs API keys, media links and leases', takenBy: everywhere },
  SEAL_KEYS: {
    ...made,
    rule: parsedBy(parseSealKeys, 'id:base64 entries of 32 bytes each, separated by commas'),
    about: "`k1:<32 bytes in base64>`: the first encrypts callers' secrets, all of them decrypt",
    takenBy: everywhere,
  },
  MEDIA_S3_ACCESS_KEY_ID: { ...made, about: "the keys of the media bucket's S3 API", takenBy: everywhere },
  MEDIA_S3_SECRET_ACCESS_KEY: { ...made, about: "the keys of the media bucket's S3 API", takenBy: everywhere },
  SOURCE_PROXY_URL: {
    rule: parsedBy((url) => readSourceProxies({ url }), 'a URL like http://user:password@proxy.example:8080'),
    isSecret: true,
    about: proxies,
    takenBy: ofSources,
  },
  SOURCE_PROXIES: {
    rule: parsedBy((byHost) => readSourceProxies({ byHost }), 'host=url entries, separated by spaces'),
    isSecret: true,
    about: proxies,
    takenBy: ofSources,
  },
} as const satisfies Record<string, Setting>
