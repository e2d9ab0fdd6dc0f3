// The yardstick for thumbnails: the calls that the server makes, through the server's own shims, in a bare loop.
//
//   thumbnails make SOURCE TARGET            writes a 4000x3000 JPEG made of the source, with a sensor's noise
//   thumbnails loop FILE SIZE THREADS SECONDS  prints thumbnails per second

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../Sources/CVips/shim.h"

static const char *path;
static int size;
static atomic_int running = 1;
static atomic_long made;

static void die(const char *what) {
    fprintf(stderr, "thumbnails: %s: %s\n", what, vips_error_buffer());
    exit(1);
}

static void *loop(void *unused) {
    (void)unused;
    while (running) {
        int file = open(path, O_RDONLY);
        VipsSource *source = vips_source_new_from_descriptor(file);
        if (!vips_foreign_find_load_source(source)) die("find_load");
        VipsImage *header = cvips_new_from_source(source);
        if (!header) die("header");
        int has_profile = cvips_has_profile(header);
        g_object_unref(header);
        VipsImage *image = NULL;
        if (cvips_thumbnail(source, &image, size, size, VIPS_SIZE_DOWN, VIPS_INTERESTING_NONE, has_profile)) die("thumbnail");
        VipsTarget *target = vips_target_new_to_memory();
        if (cvips_jpegsave(image, target, 85)) die("jpegsave");
        cvips_blob_unref(cvips_target_blob(target));
        g_object_unref(target);
        g_object_unref(image);
        g_object_unref(source);
        close(file);
        vips_thread_shutdown();
        made++;
    }
    return NULL;
}

static void make(const char *source, const char *target) {
    VipsImage *photo = vips_image_new_from_file(source, NULL);
    VipsImage *large = NULL, *noise = NULL, *sum = NULL, *cut = NULL;
    if (!photo || vips_resize(photo, &large, 7.1, NULL)) die("resize");
    if (vips_gaussnoise(&noise, 4000, 3000, "sigma", 4.0, "mean", 0.0, "seed", 1, NULL)) die("noise");
    if (vips_crop(large, &cut, 200, 0, 4000, 3000, NULL)) die("crop");
    if (vips_add(cut, noise, &sum, NULL)) die("add");
    VipsImage *cast = NULL;
    if (vips_cast(sum, &cast, VIPS_FORMAT_UCHAR, NULL)) die("cast");
    if (vips_jpegsave(cast, target, "Q", 85, NULL)) die("save");
}

int main(int count, char **words) {
    if (vips_init(words[0])) die("init");
    if (count == 4 && !strcmp(words[1], "make")) {
        make(words[2], words[3]);
        return 0;
    }
    if (count != 6) return 64;
    vips_concurrency_set(1);
    vips_cache_set_max(0);
    path = words[2];
    size = atoi(words[3]);
    int threads = atoi(words[4]), seconds = atoi(words[5]);
    pthread_t ids[64];
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (int i = 0; i < threads && i < 64; i++) pthread_create(&ids[i], NULL, loop, NULL);
    sleep(seconds);
    running = 0;
    for (int i = 0; i < threads && i < 64; i++) pthread_join(ids[i], NULL);
    clock_gettime(CLOCK_MONOTONIC, &end);
    double elapsed = end.tv_sec - start.tv_sec + (end.tv_nsec - start.tv_nsec) / 1e9;
    printf("%.2f\n", made / elapsed);
    return 0;
}
