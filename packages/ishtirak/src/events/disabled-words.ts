// The console's words for the reason why the platform's address is switched off.
import type { View } from '../pages/console-frame.js'
import { codeInWords } from '../pages/console-words.js'
import { DISABLED_BECAUSE } from './deliver-events.js'

export function disabledInWords(view: Pick<View, 'say'>, because: string): string {
  const [code] = Object.entries(DISABLED_BECAUSE).find(([, text]) => text === because) ?? []
  return code === undefined ? because : codeInWords(view, 'disabled', code)
}
