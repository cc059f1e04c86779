// The sentences of the customer portal. They say what is, what it costs, until when, and what to do next.
import type { Translated } from '../core/locale.js'

export const PORTAL_MESSAGES = {
  portalTitle: { ar: 'اشتراكك', fr: 'Votre abonnement', en: 'Your subscription' },
  leave: { ar: 'خروج', fr: 'Se déconnecter', en: 'Log out' },
  yourPlan: { ar: 'باقتك', fr: 'Votre offre', en: 'Your plan' },

  statusActive: { ar: 'سارية', fr: 'Active', en: 'Active' },
  statusPastDue: { ar: 'مهلة إضافية', fr: 'Délai de grâce', en: 'Grace period' },

  paidUntil: { ar: 'مدفوعة إلى غاية', fr: 'Payée jusqu’au', en: 'Paid until' },
  timeLeft: { ar: 'المتبقي: {time}', fr: 'Il reste {time}', en: '{time} left' },
  noEnd: {
    ar: 'مجانية وبلا أجل.',
    fr: 'Gratuite et sans limite de durée.',
    en: 'Free of charge, no time limit.',
  },

  pastDueText: {
    ar: 'انتهت مدتك المدفوعة في {date}. جدّد قبل نهاية المهلة، وإلا عدت إلى الباقة المجانية. يبدأ الشهر الجديد من نهاية القديم.',
    fr: 'Votre période payée s’est terminée le {date}. Renouvelez avant la fin du délai, sinon vous reviendrez à l’offre gratuite. Le nouveau mois part de la fin du précédent.',
    en: 'Your paid time ended on {date}. Renew before the grace period is over, or you will go back to the free plan. The new month starts where the old one ended.',
  },
  expiredTitle: {
    ar: 'انتهى اشتراكك في {date}.',
    fr: 'Votre abonnement a pris fin le {date}.',
    en: 'Your subscription ended on {date}.',
  },
  expiredText: {
    ar: 'أنت الآن على الباقة المجانية، ولم يُحذف شيء.',
    fr: 'Vous êtes sur l’offre gratuite ; rien n’a été supprimé.',
    en: 'You are on the free plan now; nothing was deleted.',
  },
  canceledTitle: {
    ar: 'أُوقف اشتراكك في {date}.',
    fr: 'Votre abonnement a été arrêté le {date}.',
    en: 'Your subscription was stopped on {date}.',
  },
  canceledText: {
    ar: 'يحدث ذلك مثلًا بعد إعادة المبلغ. لم يُحذف شيء. إن كان لديك سؤال فاتصل بـ{seller}: {phone}.',
    fr: 'C’est le cas, par exemple, après un remboursement. Rien n’a été supprimé. Une question ? Contactez {seller} : {phone}.',
    en: 'This happens, for example, after a refund. Nothing was deleted. Questions? Contact {seller}: {phone}.',
  },
  reviewTitle: {
    ar: 'نراجع إحدى دفعاتك',
    fr: 'Nous vérifions un de vos paiements',
    en: 'We are checking one of your payments',
  },
  reviewText: {
    ar: 'ما أبلغتنا به خدمة الدفع لا يطابق طلبك. لا تدفع مرة أخرى: لن يضيع أي مبلغ، ونحن نتحقق من الأمر.',
    fr: 'Les informations reçues du prestataire ne correspondent pas à votre commande. Ne payez pas une seconde fois : rien ne sera perdu, nous vérifions.',
    en: 'What the payment provider reported does not match your order. Do not pay again: nothing will be lost, we are looking into it.',
  },
  pendingTitle: {
    ar: 'بدأت عملية دفع ولم تُؤكَّد بعد',
    fr: 'Un paiement est en cours, pas encore confirmé',
    en: 'A payment was started and is not confirmed yet',
  },
  pendingText: {
    ar: 'إن لم تدفع بعد، فصفحة الدفع مفتوحة إلى الساعة {time}. إن كنت قد دفعت فلا تدفع مرة أخرى: ننتظر تأكيد البنك.',
    fr: 'Si vous n’avez pas encore payé, la page de paiement reste ouverte jusqu’à {time}. Si vous avez payé, ne payez pas une seconde fois : nous attendons la confirmation de la banque.',
    en: 'If you have not paid yet, the payment page is open until {time}. If you have, do not pay again: we are waiting for the bank to confirm.',
  },
  goOnPaying: { ar: 'متابعة الدفع', fr: 'Poursuivre le paiement', en: 'Continue to payment' },
  checkAgain: { ar: 'دفعتُ: تحقّق', fr: 'J’ai payé : vérifier', en: 'I have paid: check' },

  overLimitTitle: {
    ar: 'تستعمل أكثر مما تسمح به باقتك',
    fr: 'Vous utilisez plus que ne le permet votre offre',
    en: 'You are using more than your plan allows',
  },
  overLimitText: {
    ar: 'لم يُحذف شيء ولن يُحذف، لكن لا يمكنك الإضافة حتى ينخفض استعمالك أو تشتري باقة أكبر.',
    fr: 'Rien n’est supprimé, mais vous ne pourrez rien ajouter avant d’avoir réduit votre utilisation ou choisi une offre supérieure.',
    en: 'Nothing is deleted, but nothing can be added until you use less or choose a larger plan.',
  },

  plansTitle: { ar: 'الباقات', fr: 'Les offres', en: 'Plans' },
  perMonth: { ar: 'للشهر', fr: 'par mois', en: 'per month' },
  perMonthTaxIncluded: { ar: 'للشهر، بكل الرسوم', fr: 'TTC par mois', en: 'per month, incl. tax' },
  currentPlan: { ar: 'باقتك الحالية', fr: 'Votre offre actuelle', en: 'Your current plan' },
  renew: { ar: 'جدّد وادفع {amount}', fr: 'Renouveler : payer {amount}', en: 'Renew: pay {amount}' },
  upgrade: {
    ar: 'اشترك في {plan}: ادفع {amount}',
    fr: 'Passer à {plan} : payer {amount}',
    en: 'Upgrade to {plan}: pay {amount}',
  },
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
    ar: 'تدفع كل شهر بنفسك بالبطاقة الذهبية أو بطاقة CIB: لا يُخصم منها أي مبلغ تلقائيًا أبدًا.',
    fr: 'Vous payez chaque mois vous-même, par carte EDAHABIA ou CIB : rien n’est jamais prélevé automatiquement.',
    en: 'You pay each month yourself, by EDAHABIA or CIB card: nothing is ever charged automatically.',
  },

  usageTitle: { ar: 'استعمالك', fr: 'Votre utilisation', en: 'Your usage' },
  projects: { ar: 'المشاريع', fr: 'Projets', en: 'Projects' },
  domains_per_project: { ar: 'النطاقات في كل مشروع', fr: 'Domaines par projet', en: 'Domains per project' },
  deploys_per_day: { ar: 'عمليات النشر في اليوم', fr: 'Déploiements par jour', en: 'Deploys per day' },
  storage_mb: { ar: 'التخزين', fr: 'Stockage', en: 'Storage' },
  usedOf: { ar: '{used} من {max}', fr: '{used} sur {max}', en: '{used} of {max}' },
  resetsAt: {
    ar: 'يُعاد العدّ من الصفر على الساعة {time}',
    fr: 'Remise à zéro à {time}',
    en: 'Resets at {time}',
  },
  inProject: { ar: 'في المشروع {project}', fr: 'dans le projet {project}', en: 'in project {project}' },

  historyTitle: { ar: 'دفعاتك', fr: 'Vos paiements', en: 'Your payments' },
  noPayments: { ar: 'لا توجد دفعات بعد.', fr: 'Aucun paiement pour l’instant.', en: 'No payments yet.' },
  boughtPeriod: { ar: 'من {start} إلى {end}', fr: 'du {start} au {end}', en: '{start} to {end}' },
  boughtNothing: { ar: 'لم يُشترَ شيء', fr: 'Rien n’a été acheté', en: 'Nothing was bought' },
  receipt: { ar: 'الوصل', fr: 'Reçu', en: 'Receipt' },
  receiptOf: { ar: 'وصل دفعة {date}، ملف PDF', fr: 'Reçu du {date}, PDF', en: 'Receipt of {date}, PDF' },
  olderPayments: { ar: 'دفعات أقدم', fr: 'Paiements plus anciens', en: 'Older payments' },
  newestPayments: { ar: 'أحدث الدفعات', fr: 'Paiements les plus récents', en: 'Newest payments' },

  payment_pending: { ar: 'غير مكتملة', fr: 'En attente', en: 'Pending' },
  payment_paid: { ar: 'مدفوعة', fr: 'Payé', en: 'Paid' },
  payment_failed: { ar: 'فشلت', fr: 'Échoué', en: 'Failed' },
  payment_canceled: { ar: 'أُلغيت', fr: 'Annulé', en: 'Canceled' },
  payment_expired: { ar: 'انتهت مهلتها', fr: 'Expiré', en: 'Expired' },
  payment_review: { ar: 'قيد المراجعة', fr: 'En vérification', en: 'Under review' },
  payment_refunded: { ar: 'أُعيد مبلغها', fr: 'Remboursé', en: 'Refunded' },
  resetsAtMidnight: {
    ar: 'يُعاد العدّ من الصفر عند منتصف الليل (00:00)',
    fr: 'Remise à zéro à minuit',
    en: 'Resets at midnight',
  },
  worksUntil: {
    ar: 'كل شيء يعمل إلى غاية',
    fr: 'Tout fonctionne encore jusqu’au',
    en: 'Everything keeps working until',
  },
  atTime: { ar: 'على الساعة {time}', fr: 'à {time}', en: 'at {time}' },
  taxIncluded: {
    ar: '{amount}\u00a0بكل\u00a0الرسوم',
    fr: '{amount}\u00a0TTC',
    en: '{amount}\u00a0incl.\u00a0tax',
  },
  overLimitLine: {
    ar: '{limit}: {used} من {max}، بزيادة {by}',
    fr: '{limit} : {used} sur {max}, soit {by} de trop',
    en: '{limit}: {used} of {max}, over by {by}',
  },
  overLimitLineOfProject: {
    ar: '{limit}، المشروع {project}: {used} من {max}، بزيادة {by}',
    fr: '{limit}, projet {project} : {used} sur {max}, soit {by} de trop',
    en: '{limit}, project {project}: {used} of {max}, over by {by}',
  },
  overBy: { ar: 'بزيادة {by} عن الحد', fr: '{by} de trop', en: '{by} over the limit' },
  isFull: { ar: 'بلغ الحد', fr: 'Limite atteinte', en: 'Limit reached' },
} satisfies Record<string, Translated>
