// Defines `atexit`, which none of glibc's shared libraries contains: programs get it from a static
// library, which is not linked here.
extern "C" {
int __cxa_atexit(void (*function)(void*), void* argument, void* library);
extern void* __dso_handle;

__attribute__((visibility("hidden"))) int atexit(void (*function)()) {
    return __cxa_atexit(reinterpret_cast<void (*)(void*)>(function), nullptr, __dso_handle);
}
}
