#include "server/tls_settings.h"

#include <openssl/pem.h>

#include <ctime>

namespace holdfast::net {
namespace {

// HTTP/1.1 is all we speak. A client that offers other protocols only goes on without ALPN and
// finds out.
int select_protocol(SSL*, const unsigned char** out, unsigned char* size,
                    const unsigned char* offered, unsigned int offered_size, void*) {
  static constexpr unsigned char kHttp11[] = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
  unsigned char* chosen = nullptr;
  if (SSL_select_next_proto(&chosen, size, kHttp11, sizeof kHttp11, offered, offered_size) !=
      OPENSSL_NPN_NEGOTIATED)
    return SSL_TLSEXT_ERR_NOACK;
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

// The verdict stays readable as SSL_get_verify_result, also in a resumed session; the handshake
// goes on whatever it is.
int verify_but_go_on(X509_STORE_CTX* check, void*) {
  if (X509_verify_cert(check) != 1 && X509_STORE_CTX_get_error(check) == X509_V_OK)
    X509_STORE_CTX_set_error(check, X509_V_ERR_UNSPECIFIED);
  ERR_clear_error();
  return 1;
}

Result<void> use_certificate(SSL_CTX* settings, const ServerOptions& options) {
  const Bio bio = view(options.certificate);
  const Certificate leaf(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
  if (!leaf || SSL_CTX_use_certificate(settings, leaf.get()) != 1)
    return openssl_error(Fault::Invalid, "use the server's certificate");
  for (;;) {
    Certificate link(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
    if (!link) break;
    if (SSL_CTX_add0_chain_cert(settings, link.get()) != 1)
      return openssl_error(Fault::Invalid, "use the server's certificate chain");
    (void)link.release();  // now the settings'
  }
  ERR_clear_error();  // the end of the PEM text is reported as an error
  const Key key = HF_TRY(parse_private_key(options.key));
  if (SSL_CTX_use_PrivateKey(settings, key.get()) != 1)
    return openssl_error(Fault::Invalid, "use the server's private key");
  return ok();
}

Result<void> ask_for_clients(SSL_CTX* settings, const ServerOptions& options) {
  const Bio bio = view(options.client_ca);
  int found = 0;
  for (;;) {
    const Certificate ca(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
    if (!ca) break;
    // Its name is sent with the request, so that a client with many certificates picks the right
    // one.
    if (X509_STORE_add_cert(SSL_CTX_get_cert_store(settings), ca.get()) != 1 ||
        SSL_CTX_add_client_CA(settings, ca.get()) != 1)
      return openssl_error(Fault::Invalid, "use the client CA");
    ++found;
  }
  if (found == 0) return openssl_error(Fault::Invalid, "use the client CA");
  ERR_clear_error();
  SSL_CTX_set_verify(settings, SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_cert_verify_callback(settings, verify_but_go_on, nullptr);
  return ok();
}

std::string utf8(const X509_NAME_ENTRY* entry) {
  unsigned char* text = nullptr;
  const int size = ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(entry));
  if (size < 0) return {};
  std::string out(reinterpret_cast<char*>(text), size_t(size));
  OPENSSL_free(text);
  return out;
}

}  // namespace

Result<TlsSettings> server_tls(const ServerOptions& options) {
  if (options.certificate.empty()) return TlsSettings();
  TlsSettings settings(SSL_CTX_new(TLS_server_method()));
  SSL_CTX* const made = settings.get();
  if (made == nullptr) return openssl_error(Fault::Internal, "TLS settings");
  SSL_CTX_set_min_proto_version(made, TLS1_2_VERSION);
  SSL_CTX_set_options(made, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  // An idle connection keeps no record buffers (34 KiB each way otherwise).
  SSL_CTX_set_mode(made, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                             SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  // Resumption lives in tickets, which cost the server nothing; the cache would keep each client's
  // certificate.
  SSL_CTX_set_session_cache_mode(made, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(made, 1);
  static constexpr unsigned char kName[] = "holdfast";
  SSL_CTX_set_session_id_context(made, kName, sizeof kName - 1);
  SSL_CTX_set_alpn_select_cb(made, select_protocol, nullptr);
  HF_TRY(use_certificate(made, options));
  if (!options.client_ca.empty()) HF_TRY(ask_for_clients(made, options));
  return settings;
}

ClientIdentity client_identity(const SSL* ssl) {
  const X509* certificate = SSL_get0_peer_certificate(ssl);
  if (certificate == nullptr) return {};
  if (SSL_get_verify_result(ssl) != X509_V_OK) return {.refused = true};
  ClientIdentity identity{.present = true};
  const X509_NAME* subject = X509_get_subject_name(certificate);
  for (int i = 0; i < X509_NAME_entry_count(subject); ++i) {
    const X509_NAME_ENTRY* entry = X509_NAME_get_entry(subject, i);
    const int field = OBJ_obj2nid(X509_NAME_ENTRY_get_object(entry));
    if (field == NID_commonName) identity.common_name = utf8(entry);
    if (field == NID_organizationName) identity.organizations.push_back(utf8(entry));
  }
  std::tm at{};
  if (ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &at) != 1) return {};
  identity.expires = WallTime(std::chrono::seconds(timegm(&at)));
  return identity;
}

}  // namespace holdfast::net
