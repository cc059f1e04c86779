# A platform in Django, on PORT: the views are those of clients/python/README.md.
import os
from types import SimpleNamespace
from wsgiref.simple_server import make_server

import django
from django.conf import settings

settings.configure(
    ALLOWED_HOSTS=["127.0.0.1"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
    DEBUG_PROPAGATE_EXCEPTIONS=False,
    INSTALLED_APPS=[],
    MIDDLEWARE=["django.middleware.csrf.CsrfViewMiddleware", "__main__.sign_in"],
    ROOT_URLCONF="__main__",
    SECRET_KEY="of the tests",
    ISHTIRAK_URL=os.environ["ISHTIRAK_URL"],
    ISHTIRAK_API_KEY=os.environ["ISHTIRAK_API_KEY"],
    ISHTIRAK_EVENTS_SECRETS=os.environ["ISHTIRAK_EVENTS_SECRETS"].split(","),
)
django.setup()

from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.db import connection, models  # noqa: E402
from django.http import HttpResponse, JsonResponse  # noqa: E402
from django.shortcuts import redirect  # noqa: E402
from django.urls import path  # noqa: E402
from django.views.decorators.csrf import csrf_exempt  # noqa: E402

from ishtirak import Client, Unavailable  # noqa: E402
from ishtirak.django import receives_events  # noqa: E402


class BillingEvent(models.Model):
    id = models.CharField(max_length=64, primary_key=True)
    event = models.JSONField()

    class Meta:
        app_label = "platform"


def sign_in(get_response):
    def middleware(request):
        request.user = SimpleNamespace(pk=request.headers.get("x-user"))
        return get_response(request)

    return middleware


def start_deploy(deploy_id):
    return HttpResponse(f"started {deploy_id}")


billing = Client(settings.ISHTIRAK_URL, settings.ISHTIRAK_API_KEY)


def deploy(request, deploy_id):
    try:
        answer = billing.consume(str(request.user.pk), "deploys_per_day", operation_id=deploy_id)
    except Unavailable:
        # Decided beforehand: an outage of billing stops no deploy.
        return start_deploy(deploy_id)
    if not answer["allowed"]:
        return HttpResponse(f"again at {answer['resets_at']}", status=429)
    return start_deploy(deploy_id)


def portal(request):
    return redirect(billing.open_portal(str(request.user.pk))["url"])


def upgrade(request):
    return redirect(billing.upgrade(str(request.user.pk), "pro")["checkout_url"])


@receives_events
def billing_events(request, event):
    # A repetition has the same id, and changes nothing.
    BillingEvent.objects.get_or_create(id=event["id"], defaults={"event": event})


def stored(request):
    return JsonResponse(list(BillingEvent.objects.values_list("event__type", flat=True)), safe=False)


urlpatterns = [
    path("deploys/<deploy_id>", csrf_exempt(deploy)),
    path("portal", portal),
    path("upgrade", csrf_exempt(upgrade)),
    path("billing/events", billing_events),
    path("stored", stored),
]

with connection.schema_editor() as editor:
    editor.create_model(BillingEvent)
make_server("127.0.0.1", int(os.environ["PORT"]), get_wsgi_application()).serve_forever()
