// The users of the imaginary shop: Algerian names in both scripts, and addresses at domains that RFC 2606
// reserves for examples.
import type { Locale } from 'ishtirak/internal'
import { createDraw } from './draw.js'

export interface Person {
  readonly index: number
  readonly userId: string
  readonly name: string
  /** Null: unknown. */
  readonly email: string | null
  readonly locale: Locale
}

/** A domain that no longer accepts mail. */
export const GONE = 'gone.example'

/** The first one exists exactly if a demo was begun. */
export function demoUserId(index: number): string {
  return `demo-${String(index + 1).padStart(4, '0')}`
}

export function drawPerson(seed: number, index: number): Person {
  const draw = createDraw(seed, `person ${index}`)
  const [given, givenArabic] = draw.pick(GIVEN)
  const [family, familyArabic] = draw.pick(FAMILY)
  const locale = draw.pick(['ar', 'ar', 'ar', 'ar', 'fr', 'fr', 'fr', 'fr', 'en'] as const)
  const isArabic = locale === 'ar' ? draw.chance(0.8) : draw.chance(0.1)
  // Some addresses bounce, always that of the second user, and some users have no address.
  const domain =
    draw.chance(0.02) || index === 1 ? GONE : draw.pick(['example.com', 'example.net', 'example.org'])
  const local = `${given}.${family}`.toLowerCase().replaceAll(/[^a-z.]/g, '')
  return {
    index,
    userId: demoUserId(index),
    name: isArabic ? `${givenArabic} ${familyArabic}` : `${given} ${family}`,
    email: draw.chance(0.04) && index !== 1 ? null : `${local}${index + 1}@${domain}`,
    locale,
  }
}

const GIVEN = [
  ['Yacine', 'ياسين'],
  ['Amina', 'أمينة'],
  ['Karim', 'كريم'],
  ['Nadia', 'نادية'],
  ['Sofiane', 'سفيان'],
  ['Lynda', 'ليندة'],
  ['Mohamed', 'محمد'],
  ['Fatima', 'فاطمة'],
  ['Abdelkader', 'عبد القادر'],
  ['Meriem', 'مريم'],
  ['Riad', 'رياض'],
  ['Samira', 'سميرة'],
  ['Walid', 'وليد'],
  ['Ines', 'إيناس'],
  ['Hichem', 'هشام'],
  ['Khadidja', 'خديجة'],
  ['Bilal', 'بلال'],
  ['Asma', 'أسماء'],
  ['Mourad', 'مراد'],
  ['Houria', 'حورية'],
  ['Nassim', 'نسيم'],
  ['Sarah', 'سارة'],
  ['Djamel', 'جمال'],
  ['Chahinez', 'شاهيناز'],
  ['Anis', 'أنيس'],
  ['Rania', 'رانية'],
  ['Tarek', 'طارق'],
  ['Wassila', 'وسيلة'],
  ['Islam', 'إسلام'],
  ['Zohra', 'زهرة'],
] as const

const FAMILY = [
  ['Benali', 'بن علي'],
  ['Haddad', 'حداد'],
  ['Mansouri', 'منصوري'],
  ['Boudiaf', 'بوضياف'],
  ['Khelifi', 'خليفي'],
  ['Bouzid', 'بوزيد'],
  ['Saadi', 'سعدي'],
  ['Belkacem', 'بلقاسم'],
  ['Cherif', 'شريف'],
  ['Zerrouki', 'زروقي'],
  ['Hamidi', 'حميدي'],
  ['Meziane', 'مزيان'],
  ['Rahmani', 'رحماني'],
  ['Ould Ali', 'ولد علي'],
  ['Brahimi', 'براهيمي'],
  ['Toumi', 'تومي'],
  ['Amrani', 'عمراني'],
  ['Ferhat', 'فرحات'],
  ['Guerroudj', 'قروج'],
  ['Slimani', 'سليماني'],
  ['Larbi', 'العربي'],
  ['Messaoudi', 'مسعودي'],
  ['Taleb', 'طالب'],
  ['Yahiaoui', 'يحياوي'],
  ['Djebbar', 'جبار'],
  ['Aït Ahmed', 'آيت أحمد'],
  ['Bensalem', 'بن سالم'],
  ['Chaoui', 'شاوي'],
  ['Medjdoub', 'مجدوب'],
  ['Kaci', 'قاسي'],
] as const
