// Every word of the front page, in the three languages.
import type { Locale } from './records.js'

interface FrontTexts {
  readonly title: string
  readonly intro: string
  readonly controls: string
  readonly controlsText: string
  readonly controlsLink: string
  readonly tryOut: string
  readonly tryOutText: string
  readonly orByScript: string
  readonly addresses: string
  readonly testMode: string
  readonly liveMode: string
  readonly forPrograms: string
}

export const FRONT_TEXTS: Readonly<Record<Locale, FrontTexts>> = {
  ar: {
    title: 'محاكي Chargily Pay',
    intro: 'يجيب كما تجيب خدمة Chargily Pay V2: الواجهة البرمجية وصفحة الدفع والإشعارات الموقّعة.',
    controls: 'لوحة التحكم',
    controlsText: 'قدّم الساعة، وشغّل الأعطال، واطّلع على الإشعارات وأعد إرسالها. من هذا الجهاز فقط.',
    controlsLink: 'الساعة والأعطال والإشعارات (بالإنجليزية)',
    tryOut: 'جرّب عملية دفع',
    tryOutText:
      'أنشئ عملية دفع بمفتاح الاختبار، ثم افتح في المتصفح العنوان checkout_url الذي يعود في الجواب.',
    orByScript: 'أو ادفع من سطر الأوامر:',
    addresses: 'العناوين',
    testMode: 'الواجهة البرمجية، وضع الاختبار (test):',
    liveMode: 'الواجهة البرمجية، وضع الإنتاج (live):',
    forPrograms: 'ما في لوحة التحكم، للبرامج بصيغة JSON:',
  },
  fr: {
    title: 'Émulateur de Chargily Pay',
    intro: 'Il répond comme Chargily Pay V2 : l’API, la page de paiement et les événements signés.',
    controls: 'En coulisses',
    controlsText:
      'Avancez l’horloge, provoquez des pannes, consultez les événements et renvoyez-les. Depuis cette machine seulement.',
    controlsLink: 'Horloge, pannes et événements (en anglais)',
    tryOut: 'Essayer un paiement',
    tryOutText:
      'Créez un paiement avec une clé de test, puis ouvrez dans un navigateur l’adresse checkout_url de la réponse.',
    orByScript: 'Ou payez en ligne de commande :',
    addresses: 'Adresses',
    testMode: 'API, mode test :',
    liveMode: 'API, mode live :',
    forPrograms: 'Les coulisses, pour les programmes (JSON) :',
  },
  en: {
    title: 'An emulator of Chargily Pay',
    intro: 'It answers as Chargily Pay V2 does: the API, the payment page and the signed events.',
    controls: 'Behind the scenes',
    controlsText:
      'Move the clock forward, switch faults on, look at events and send them again. From this machine only.',
    controlsLink: 'Clock, faults and events',
    tryOut: 'Try a payment',
    tryOutText: 'Create a checkout with a test key, then open the checkout_url of the answer in a browser.',
    orByScript: 'Or pay from the command line:',
    addresses: 'Addresses',
    testMode: 'API, test mode:',
    liveMode: 'API, live mode:',
    forPrograms: 'Behind the scenes, for programs (JSON):',
  },
}
