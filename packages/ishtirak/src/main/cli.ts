// The program's entry: what V8 must know before it grows comes first, then everything else is loaded.
import { keepHeapSmall } from '../runtime/heap.js'

keepHeapSmall()
await import('./commands.js')
