import { type Browser, chromium } from 'playwright-core'
import { foundChromium } from './system-tools.js'

/** No sandbox of its own, because tests run as root in containers; and it stays off the network. */
const SWITCHES = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export function launchChromium(...switches: readonly string[]): Promise<Browser> {
  return chromium.launch({ executablePath: foundChromium(), args: [...SWITCHES, ...switches] })
}
