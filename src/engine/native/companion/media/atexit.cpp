// `atexit`, which glibc has in none of its shared libraries: a program gets it from a static one, which is not linked here.
extern "C" {
int __cxa_atexit(void (*function)(void*), void* argument, void* library);
extern void* __dso_handle;

__attribute__((visibility("hidden"))) int atexit(void (*function)()) {
    return __cxa_atexit(reinterpret_cast<void (*)(void*)>(function), nullptr, __dso_handle);
}
}
