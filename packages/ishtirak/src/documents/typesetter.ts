// Turns a template and data into a PDF with Typst, inside the process. Data is passed as JSON and never as
// source: a customer called "#panic()" is just a name. The same template and data give the same bytes,
// because nothing reads a clock.
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { NodeCompiler, NodeTypstDocument } from '@myriaddreamin/typst-ts-node-compiler'
import { missingPackages } from '../runtime/package.js'

const require = createRequire(import.meta.url)

const COMPILER = '@myriaddreamin/typst-ts-node-compiler'
// Named one by one: the packages have fourteen weights, and the engine would read them all.
const FONT_FILES = [
  '@expo-google-fonts/ibm-plex-sans/400Regular/IBMPlexSans_400Regular.ttf',
  '@expo-google-fonts/ibm-plex-sans/600SemiBold/IBMPlexSans_600SemiBold.ttf',
  '@expo-google-fonts/ibm-plex-sans-arabic/400Regular/IBMPlexSansArabic_400Regular.ttf',
  '@expo-google-fonts/ibm-plex-sans-arabic/600SemiBold/IBMPlexSansArabic_600SemiBold.ttf',
]

/** The optional packages that receipts need and that are missing, as arguments of `npm install`. */
export function missingForReceipts(): readonly string[] {
  const fonts = FONT_FILES.map((file) => file.split('/', 2).join('/'))
  const missing = missingPackages([COMPILER, ...new Set(fonts)])
  return missing.length > 0 || hasBinary() ? missing : [`${COMPILER}-${process.platform}-${process.arch}`]
}

/** The engine is a binary. npm installs the package for the platform, if there is one. */
function hasBinary(): boolean {
  const manifest: { readonly optionalDependencies: object } = require(`${COMPILER}/package.json`)
  const ofCompiler = createRequire(require.resolve(COMPILER))
  const candidates = Object.keys(manifest.optionalDependencies)
  return candidates.some((name) =>
    ofCompiler.resolve.paths(name)?.some((folder) => existsSync(path.join(folder, name))),
  )
}

/** A sweep drops results unused since two sweeps and costs 0.3 ms. The engine recommends every tenth page. */
const PAGES_PER_SWEEP = 10
const CACHE_AGE_SWEEPS = 2

// The engine resolves paths here but reads nothing from it: templates and data are in memory.
const WORKSPACE = fileURLToPath(new URL('.', import.meta.url))
const TEMPLATE_FILE = path.join(WORKSPACE, 'template.typ')
const DATA_FILE = path.join(WORKSPACE, 'data.json')
const ATTACHED_FILE = path.join(WORKSPACE, 'attached.xml')

const DEFAULT_ACCENT = '#0b5d4e'

/** PDF for universal access (ISO 14289-1): tagged, titled, in a stated language, every character embedded. */
const PDF_STANDARD = 'ua-1'
/** For archives, with files in it (ISO 19005-3): tagged, in a stated language, every character embedded. */
const STANDARD_WITH_FILE = 'a-3a'

/** `color` is the seller's, readable on white; null: the template's own. */
export function createTypesetter(color: string | null = null) {
  let compiler: NodeCompiler | undefined
  /** The engine parses a template only if it changes. */
  let lastTemplate = ''
  let printed = 0
  return {
    /**
     * `template` is Typst source, which reads its data with `json("/data.json")` and uses the families IBM
     * Plex Sans, IBM Plex Sans Arabic and Libertinus Serif. Returns a tagged PDF/UA-1. With `xml`, which the
     * template attaches from `/attached.xml`, it is a tagged PDF/A-3a: the engine writes one standard at a
     * time. Characters that no font has become `◊`. A template that makes no page throws: that is a bug. The
     * engine's pages are freed only when the event loop turns.
     */
    typeset(template: string, data: object, xml?: string): Uint8Array {
      compiler ??= startCompiler()
      const json = JSON.stringify({ accent: color ?? DEFAULT_ACCENT, ...data }, (_, value: unknown) =>
        typeof value === 'string' ? copyable(drawable(value)) : value,
      )
      if (template !== lastTemplate) compiler.mapShadow(TEMPLATE_FILE, Buffer.from(template))
      lastTemplate = template
      // Not as `inputs`: those are part of the library, and with another library the engine forgets every
      // layout.
      compiler.mapShadow(DATA_FILE, Buffer.from(json))
      if (xml !== undefined) compiler.mapShadow(ATTACHED_FILE, Buffer.from(xml))
      const pdfStandard = xml === undefined ? PDF_STANDARD : STANDARD_WITH_FILE
      try {
        return compiler.pdf(compile(compiler), { pdfStandard, pdfTags: true })
      } finally {
        printed += 1
        if (printed % PAGES_PER_SWEEP === 0) compiler.evictCache(CACHE_AGE_SWEEPS)
      }
    },
  }
}

export type Typesetter = ReturnType<typeof createTypesetter>

function startCompiler(): NodeCompiler {
  // Loaded here: the engine's machine code takes 11 MB of memory, and most processes never print.
  const typst: typeof import('@myriaddreamin/typst-ts-node-compiler') = require(COMPILER)
  const fontBlobs = FONT_FILES.map((file) => readFileSync(require.resolve(file)))
  return typst.NodeCompiler.create({ workspace: WORKSPACE, fontArgs: [{ fontBlobs }] })
}

function compile(compiler: NodeCompiler): NodeTypstDocument {
  const compiled = compiler.compile({ mainFilePath: TEMPLATE_FILE })
  if (compiled.result) return compiled.result
  const diagnostics = compiled.takeDiagnostics()?.shortDiagnostics ?? []
  throw new Error(`the template does not compile: ${JSON.stringify(diagnostics)}`)
}

const LAM_ALEF = /([\u0620-\u064a]?)ل([آأإا])/g
/** Each alef with the isolated form of its ligature with lam (Unicode, Forms-B); the final form is next. */
const LAM_ALEF_FORMS: Readonly<Record<string, number>> = { آ: 0xfef5, أ: 0xfef7, إ: 0xfef9, ا: 0xfefb }
/** Arabic letters that do not join the letter after them (Unicode, ArabicShaping.txt). */
const NOT_JOINING = 'ءآأؤإاةدذرزوى'

/**
 * Replaces lam with alef by the one character of their ligature. A PDF reader returns the letters of a glyph
 * in the order of the page, so a ligature of two characters is copied with its letters swapped (poppler). The
 * template turns all other ligatures off. The zero-width joiner keeps the letter before it joined. Readers
 * turn the character into its letters (Unicode, NFKC).
 */
function copyable(text: string): string {
  return text.replace(LAM_ALEF, (_, before: string, alef: string) => {
    const form = LAM_ALEF_FORMS[alef] ?? 0
    const joins = before !== '' && !NOT_JOINING.includes(before)
    return joins ? `${before}\u200d${String.fromCharCode(form + 1)}` : before + String.fromCharCode(form)
  })
}

const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' })
// ASCII, French, Arabic without its marks, no-break space, and the quotes and dash we print.
const PLAIN = /^[ -~\u00a0-\u00ac\u00ae-\u00ff\u060c\u061b\u061f\u0621-\u063a\u0641-\u064a’“”–…]*$/
const LONE_SURROGATE = /\p{Cs}/gu
const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu
// They reorder, hide or join text, so a name could rewrite its line. Variation selectors choose colours.
const HIDDEN = /\p{Cf}|\p{Variation_Selector}/gu

/** What IBM Plex Sans has of Latin with its marks, Greek and Cyrillic, and of punctuation and signs. */
const LATIN =
  String.raw` -~\u00a0-\u017f\u0218-\u021b\u1ea0-\u1ef9\u0300-\u0304\u0306-\u030c\u0323\u0327\u0328` +
  String.raw`\u0384-\u038a\u038c\u038e-\u03a1\u03a3-\u03ce\u0400-\u045f` +
  String.raw`\u2010-\u2015\u2018-\u201a\u201c-\u201e\u2020-\u2022\u2026\u2030\u2039\u203a€№™◊`
/** The engine refuses a page with a character that no font has. The third, Libertinus Serif, is built in. */
const DRAWN = [
  new RegExp(`^[${LATIN}]*$`),
  /^[ -~\u0606-\u061b\u061e-\u06a1\u06a3-\u06ff\u0750-\u077f]*$/,
  /^[ƐɛƔɣ]$/,
]

/** A letter and its marks are drawn in one font. The engine draws ḍ as d with a dot below if it has to. */
export function isDrawn(grapheme: string): boolean {
  return [grapheme, grapheme.normalize('NFD')].some((form) => DRAWN.some((font) => font.test(form)))
}

/** The part of a text that the fonts can draw, on one line. An emoji becomes one `◊`. */
function drawable(text: string): string {
  // Nearly every text is plain, and cutting into graphemes took 2 ms a page.
  if (PLAIN.test(text)) return text
  const plain = text.replace(LONE_SURROGATE, '◊').normalize('NFC').replace(BREAKS, ' ').trim()
  return Array.from(GRAPHEMES.segment(plain), ({ segment }) => {
    const visible = segment.replace(HIDDEN, '')
    return isDrawn(visible) ? visible : '◊'
  }).join('')
}
