// Chargily's variables: their forms, their contradictions, and what is read from them.
import {
  type GatewaySettings,
  isPrivateEnough,
  listOf,
  textSetting,
  type Variables,
  web,
} from '../../../runtime/environment.js'
import { describeSecrets, isTwice, items } from '../../../runtime/old-secrets.js'
import { type AccountSettings, CHARGILY_URL, isLiveKey } from './account.js'
import { LEAST_AMOUNT } from './chargily.js'

const KEY = /(test|live)_sk_[\w-]+/

const isLive = ({ CHARGILY_SECRET_KEY: key = '' }: Variables) => isLiveKey(key)

export interface ChargilyConfig {
  /** Null in the sandbox, which makes its own key. */
  readonly chargily: AccountSettings | null
}

export const CHARGILY: GatewaySettings<ChargilyConfig> = {
  variables: {
    CHARGILY_SECRET_KEY: textSetting(
      'a key that starts with test_sk_ or live_sk_',
      new RegExp(`^${KEY.source}$`),
    ),
    CHARGILY_WEBHOOK_KEYS: listOf('keys that start with test_sk_ or live_sk_', KEY),
    CHARGILY_API_URL: web(),
  },
  key: 'CHARGILY_SECRET_KEY',
  leastAmount: LEAST_AMOUNT,
  isLive,
  // The key in use is a variable of its own.
  oldSecrets: ({ CHARGILY_WEBHOOK_KEYS: keys }) =>
    describeSecrets('CHARGILY_WEBHOOK_KEYS', null, items(keys)),
  contradictions: (given) => {
    const { CHARGILY_SECRET_KEY: key, CHARGILY_WEBHOOK_KEYS: webhookKeys, PUBLIC_URL: publicUrl } = given
    const apiUrl = given.CHARGILY_API_URL ?? CHARGILY_URL
    const { username, search, hash } = new URL(apiUrl)
    return [
      [!key && !!webhookKeys, 'CHARGILY_WEBHOOK_KEYS is set, CHARGILY_SECRET_KEY is not'],
      [!key && !!given.CHARGILY_API_URL, 'CHARGILY_API_URL is set, CHARGILY_SECRET_KEY is not'],
      [isTwice(items(webhookKeys)), 'CHARGILY_WEBHOOK_KEYS names one secret twice'],
      [
        // Test keys are not secret: if one were accepted, anyone could sign live payments.
        !!key && items(webhookKeys).some((other) => isLiveKey(other) !== isLive(given)),
        'CHARGILY_WEBHOOK_KEYS must be of the mode of CHARGILY_SECRET_KEY, test or live',
      ],
      [!!username || !!search || !!hash, 'CHARGILY_API_URL must have no user, no query and no fragment'],
      [
        isLive(given) && !isPrivateEnough(apiUrl),
        'CHARGILY_API_URL must start with https:// for a live key, unless it is on this machine',
      ],
      [
        isLive(given) && publicUrl !== undefined && !isPrivateEnough(publicUrl),
        'PUBLIC_URL must start with https:// when real money moves (live_sk_)',
      ],
    ]
  },
  read: (given) => {
    const { CHARGILY_SECRET_KEY: secretKey, CHARGILY_WEBHOOK_KEYS: keys, CHARGILY_API_URL: apiUrl } = given
    if (secretKey === undefined) return { chargily: null }
    return { chargily: { secretKey, webhookKeys: items(keys), ...(apiUrl !== undefined && { apiUrl }) } }
  },
}
