/* Work without the GIL, by one thread at a time, that signals and callbacks can stop. */
#include <cpb/url.h>
#include <stdlib.h>

#include "core.h"

#define EVERY 50 /* milliseconds between two looks at Python */

bool py_work_init(py_work *work) {
  if (work->lock) return PyErr_SetString(PyExc_TypeError, "__init__ was called before"), false;
  work->lock = PyThread_allocate_lock();
  if (!work->lock) PyErr_NoMemory();
  return work->lock != NULL;
}

/* Another thread is inside. */
static bool wait_for(py_work *work) {
  for (;;) {
    PyLockStatus status;
    Py_BEGIN_ALLOW_THREADS;
    status = PyThread_acquire_lock_timed(work->lock, EVERY * 1000, 0);
    Py_END_ALLOW_THREADS;
    if (status == PY_LOCK_ACQUIRED) return true;
    if (PyErr_CheckSignals() < 0) return false;
  }
}

py_work py_work_alone(PyObject *progress) { return (py_work){.progress = progress == Py_None ? NULL : progress}; }

bool py_work_begin(py_work *work, PyObject *progress) {
  unsigned long self = PyThread_get_thread_ident();
  if (!work->lock) return PyErr_SetString(PyExc_TypeError, "__init__ was not called"), false;
  if (work->owner == self) return py_raise_text(CPB_E_USAGE, NULL, "called by what it calls itself") != NULL;
  if (!PyThread_acquire_lock(work->lock, NOWAIT_LOCK) && !wait_for(work)) return false;
  work->owner = self;
  work->progress = progress == Py_None ? NULL : progress;
  return true;
}

void py_work_end(py_work *work) {
  work->owner = 0;
  PyThread_release_lock(work->lock);
}

void py_work_unlock(py_work *work) {
  work->next = cpb_url_clock() + EVERY;
  work->state = PyEval_SaveThread();
}

void py_work_lock(py_work *work) {
  PyEval_RestoreThread(work->state);
  work->state = NULL;
}

static bool ask_python(const py_work *work, uint64_t done, uint64_t total) {
  if (PyErr_Occurred() || PyErr_CheckSignals() < 0) return false;
  if (!work->progress) return true;
  PyObject *answer = PyObject_CallFunction(work->progress, "KK", (unsigned long long)done, (unsigned long long)total);
  Py_XDECREF(answer);
  return answer != NULL;
}

bool py_work_go_on(py_work *work, uint64_t done, uint64_t total) {
  uint64_t now = cpb_url_clock();
  if (now < work->next && (done < total || !work->progress)) return true;
  work->next = now + EVERY;
  py_work_lock(work);
  bool going = ask_python(work, done, total);
  work->state = PyEval_SaveThread();
  return going;
}

int py_work_progress(void *work, uint64_t done, uint64_t total) { return py_work_go_on(work, done, total) ? 0 : 1; }

bool py_watch_stops(py_watch *watch) {
  uint64_t now = cpb_url_clock();
  if (watch->stopped || now < watch->next) return watch->stopped;
  watch->next = now + EVERY;
  PyGILState_STATE state = PyGILState_Ensure();
  bool stops = PyErr_Occurred() || PyErr_CheckSignals() < 0;
  if (stops) watch->next = 0; /* also when asked again */
  PyGILState_Release(state);
  return stops;
}

static void *watched_allocate(void *user, size_t size) { return py_watch_stops(user) ? NULL : malloc(size); }

static void *watched_resize(void *user, void *block, size_t old_size, size_t new_size) {
  (void)old_size;
  return py_watch_stops(user) ? NULL : realloc(block, new_size);
}

static void watched_release(void *user, void *block) {
  (void)user;
  free(block);
}

cpb_allocator py_watch_allocator(py_watch *watch) {
  return (cpb_allocator){watch, watched_allocate, watched_resize, watched_release};
}
