// The sentences of the customer portal. They say what is, what it costs, until when, and what to do next.
import type { Translated } from './locale.js'

export const PORTAL_MESSAGES = {
  portalTitle: { ar: 'اشتراكك', fr: 'Votre abonnement', en: 'Your subscription' },
  leave: { ar: 'خروج', fr: 'Se déconnecter', en: 'Log out' },
  yourPlan: { ar: 'باقتك', fr: 'Votre offre', en: 'Your plan' },

  statusActive: { ar: 'سارية', fr: 'Active', en: 'Active' },
  statusPastDue: { ar: 'مهلة إضافية', fr: 'Délai de grâce', en: 'Grace period' },
  statusExpired: { ar: 'انتهت', fr: 'Terminée', en: 'Ended' },
  statusCanceled: { ar: 'أُوقفت', fr: 'Arrêtée', en: 'Stopped' },

  paidUntil: { ar: 'مدفوعة إلى غاية', fr: 'Payée jusqu’au', en: 'Paid until' },
  timeLeft: { ar: 'بقي {time}', fr: 'Il reste {time}', en: '{time} left' },
  noEnd: {
    ar: 'مجانية وبلا أجل.',
    fr: 'Gratuite et sans limite de durée.',
    en: 'Free of charge, with no end.',
  },

  pastDueTitle: {
    ar: 'انتهت مدتك المدفوعة في {date}',
    fr: 'Votre période payée s’est terminée le {date}',
    en: 'Your paid time ended on {date}',
  },
  pastDueText: {
    ar: 'كل شيء يعمل إلى غاية {end}. جدّد قبل ذلك، وإلا عدت إلى الباقة المجانية. الشهر الجديد يبدأ من نهاية القديم.',
    fr: 'Tout fonctionne encore jusqu’au {end}. Renouvelez avant, sinon vous reviendrez à l’offre gratuite. Le nouveau mois part de la fin du précédent.',
    en: 'Everything goes on until {end}. Renew before that, or you will be on the free plan again. The new month starts where the old one ended.',
  },
  expiredTitle: {
    ar: 'انتهى اشتراكك في {date}',
    fr: 'Votre abonnement a pris fin le {date}',
    en: 'Your subscription ended on {date}',
  },
  expiredText: {
    ar: 'أنت الآن على الباقة المجانية. لم يُحذف شيء. اشترِ شهرًا جديدًا متى شئت.',
    fr: 'Vous êtes sur l’offre gratuite. Rien n’a été supprimé. Vous pouvez acheter un nouveau mois quand vous voulez.',
    en: 'You are on the free plan now. Nothing was deleted. Buy a new month whenever you like.',
  },
  canceledTitle: {
    ar: 'أُوقف اشتراكك في {date}',
    fr: 'Votre abonnement a été arrêté le {date}',
    en: 'Your subscription was stopped on {date}',
  },
  canceledText: {
    ar: 'أوقفته المنصة، مثلًا بعد إعادة المبلغ. لم يُحذف شيء. إن كان لديك سؤال فاتصل بالمنصة؛ ويمكنك شراء شهر جديد.',
    fr: 'La plateforme l’a arrêté, par exemple après un remboursement. Rien n’a été supprimé. Pour toute question, contactez la plateforme ; vous pouvez acheter un nouveau mois.',
    en: 'The platform stopped it, for example after a refund. Nothing was deleted. Contact the platform if you have a question; you can buy a new month.',
  },
  reviewTitle: {
    ar: 'نراجع إحدى دفعاتك',
    fr: 'Nous vérifions un de vos paiements',
    en: 'We are checking one of your payments',
  },
  reviewText: {
    ar: 'ما أبلغتنا به خدمة الدفع لا يطابق طلبك {id}. لا تدفع مرة أخرى: لن يضيع أي مبلغ، وسننظر في الأمر بأنفسنا.',
    fr: 'Ce que le prestataire de paiement nous a dit ne correspond pas à votre commande {id}. Ne payez pas une seconde fois : rien ne sera perdu, nous regardons nous-mêmes.',
    en: 'What the payment provider told us does not match your order {id}. Do not pay again: nothing will be lost, we are looking into it ourselves.',
  },
  pendingTitle: {
    ar: 'بدأت عملية دفع ولم تكتمل بعد',
    fr: 'Un paiement est commencé et pas encore confirmé',
    en: 'A payment was started and is not confirmed yet',
  },
  pendingText: {
    ar: 'إن لم تدفع بعد، فصفحة الدفع مفتوحة إلى الساعة {time}. إن كنت قد دفعت فلا تدفع مرة أخرى: ننتظر تأكيد البنك.',
    fr: 'Si vous n’avez pas encore payé, la page de paiement reste ouverte jusqu’à {time}. Si vous avez payé, ne recommencez pas : nous attendons la banque.',
    en: 'If you have not paid yet, the payment page is open until {time}. If you have, do not pay again: we are waiting for the bank.',
  },
  goOnPaying: { ar: 'إكمال الدفع', fr: 'Terminer le paiement', en: 'Go on paying' },
  checkAgain: { ar: 'دفعتُ: تحقّق', fr: 'J’ai payé : vérifier', en: 'I have paid: check' },

  overLimitTitle: {
    ar: 'تستعمل أكثر مما تسمح به باقتك',
    fr: 'Vous utilisez plus que ne le permet votre offre',
    en: 'You use more than your plan allows',
  },
  overLimitText: {
    ar: 'لم يُحذف شيء ولن يُحذف. لكن لا يمكن الإضافة حتى ينخفض الاستعمال أو تشتري باقة أكبر.',
    fr: 'Rien n’est supprimé. Mais rien ne peut être ajouté tant que l’utilisation n’a pas baissé ou que vous n’avez pas une offre plus grande.',
    en: 'Nothing is deleted. But nothing can be added until you use less or take a larger plan.',
  },

  plansTitle: { ar: 'الباقات', fr: 'Les offres', en: 'Plans' },
  perMonth: { ar: 'للشهر', fr: 'par mois', en: 'per month' },
  currentPlan: { ar: 'باقتك الحالية', fr: 'Votre offre actuelle', en: 'Your current plan' },
  renew: { ar: 'جدّد وادفع {amount}', fr: 'Renouveler : payer {amount}', en: 'Renew: pay {amount}' },
  upgrade: { ar: 'اشترِ وادفع {amount}', fr: 'Choisir : payer {amount}', en: 'Get it: pay {amount}' },
  willExtend: {
    ar: 'يُمدَّد اشتراكك إلى غاية {end}.',
    fr: 'Votre abonnement sera prolongé jusqu’au {end}.',
    en: 'This will extend your plan until {end}.',
  },
  willStart: {
    ar: 'تبدأ فور الدفع وتدوم إلى غاية {end}.',
    fr: 'Commence dès le paiement et dure jusqu’au {end}.',
    en: 'Starts as soon as you pay and lasts until {end}.',
  },
  renewableFrom: {
    ar: 'يمكنك التجديد ابتداءً من {date}.',
    fr: 'Vous pourrez renouveler à partir du {date}.',
    en: 'You can renew from {date}.',
  },
  paidByHand: {
    ar: 'تدفع كل شهر بنفسك ببطاقة الذهبية أو CIB: لا يُخصم منها شيء تلقائيًا أبدًا.',
    fr: 'Vous payez chaque mois vous-même, par carte EDAHABIA ou CIB : rien n’est jamais prélevé automatiquement.',
    en: 'You pay each month yourself, by EDAHABIA or CIB card: nothing is ever taken automatically.',
  },

  usageTitle: { ar: 'استعمالك', fr: 'Votre utilisation', en: 'Your usage' },
  projects: { ar: 'المشاريع', fr: 'Projets', en: 'Projects' },
  domains_per_project: {
    ar: 'النطاقات في كل مشروع',
    fr: 'Domaines par projet',
    en: 'Domains per project',
  },
  deploys_per_day: { ar: 'عمليات النشر في اليوم', fr: 'Déploiements par jour', en: 'Deploys per day' },
  storage_mb: { ar: 'التخزين', fr: 'Stockage', en: 'Storage' },
  usedOf: { ar: '{used} من {max}', fr: '{used} sur {max}', en: '{used} of {max}' },
  resetsAt: {
    ar: 'يُعاد العدّ من الصفر في {time}',
    fr: 'Repart de zéro à {time}',
    en: 'Starts from zero at {time}',
  },
  inProject: { ar: 'في المشروع {project}', fr: 'dans le projet {project}', en: 'in project {project}' },

  historyTitle: { ar: 'دفعاتك', fr: 'Vos paiements', en: 'Your payments' },
  noPayments: {
    ar: 'لا توجد دفعات بعد.',
    fr: 'Aucun paiement pour l’instant.',
    en: 'No payments yet.',
  },
  boughtPeriod: { ar: 'من {start} إلى {end}', fr: 'du {start} au {end}', en: '{start} to {end}' },
  boughtNothing: { ar: 'لم تشترِ شيئًا', fr: 'Rien n’a été acheté', en: 'Nothing was bought' },
  receipt: { ar: 'الوصل', fr: 'Reçu', en: 'Receipt' },
  receiptOf: {
    ar: 'وصل دفعة {date}، ملف PDF',
    fr: 'Reçu du {date}, PDF',
    en: 'Receipt of {date}, PDF',
  },
  olderPayments: { ar: 'دفعات أقدم', fr: 'Paiements plus anciens', en: 'Older payments' },
  newestPayments: { ar: 'أحدث الدفعات', fr: 'Paiements les plus récents', en: 'Newest payments' },

  payment_pending: { ar: 'غير مكتملة', fr: 'En attente', en: 'Pending' },
  payment_paid: { ar: 'مدفوعة', fr: 'Payé', en: 'Paid' },
  payment_failed: { ar: 'فشلت', fr: 'Échoué', en: 'Failed' },
  payment_canceled: { ar: 'أُلغيت', fr: 'Annulé', en: 'Canceled' },
  payment_expired: { ar: 'انتهت مهلتها', fr: 'Expiré', en: 'Expired' },
  payment_review: { ar: 'قيد المراجعة', fr: 'En vérification', en: 'Being checked' },
  payment_refunded: { ar: 'أُعيد مبلغها', fr: 'Remboursé', en: 'Refunded' },
} satisfies Record<string, Translated>
